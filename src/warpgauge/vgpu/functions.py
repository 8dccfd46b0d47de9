"""A kernel and the functions it can reach, laid out as one: callees before callers, so that lanes in a function run
before those that wait for them behind the call.

Arguments and results travel through fixed places in local memory (one per position); a function copies its arguments
to places of its own when it starts. Each function keeps the block at which each lane goes on after its return; a
function that can call itself saves what a lane still needs on a stack in local memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from warpgauge import ptx
from warpgauge.ptx.cfg import CARRY, is_function_call

from .layout import FUNCTION_BASE

STACK_BYTES = 16384
STACK, STACK_POINTER = "(stack)", "(stack pointer)"


@dataclass(frozen=True)
class Function:
    """`entry` is its first block; `returns_to` the blocks behind its calls; `arguments` (from place, own place, bytes);
    `saved` the local places that one activation owns."""

    name: str
    entry: int
    blocks: range
    returns_to: tuple[int, ...]
    arguments: tuple[tuple[str, str, int], ...]
    saved: tuple[str, ...]
    recursive: bool

    @property
    def return_register(self) -> str:
        return f"{self.name}:(return)"


@dataclass(frozen=True)
class Program:
    """`kernel` holds all blocks; `functions` by name; `callees` maps a block that ends in a call to the functions that
    it may enter (several for a call through a pointer); `home` a block to its function ("" for the kernel's own)."""

    kernel: ptx.Kernel
    entry: int
    functions: dict[str, Function] = field(default_factory=dict)
    callees: dict[int, tuple[str, ...]] = field(default_factory=dict)
    home: dict[int, str] = field(default_factory=dict)

    def is_recursive_call(self, block: int) -> bool:
        """Can the function that this block belongs to be entered again before the call returns?"""
        return any(self.functions[f].recursive for f in self.callees.get(block, ())) and bool(self.home.get(block))


def assemble(module: ptx.Module, kernel: ptx.Kernel) -> Program:
    """Lay out `kernel` and what it calls. Functions that are missing from the module stay unsupported calls."""
    order = _callees_first(module, kernel)
    if not any(i.opcode == "call" for body in order for i in body.instructions):
        return Program(kernel, 0)
    starts, at = {}, 0
    for body in order:
        starts[body.name] = at
        at += len(body.blocks)
    index = 0
    blocks: list[ptx.Block] = []
    registers: dict[str, str] = {}
    home: dict[int, str] = {}
    callees: dict[int, tuple[str, ...]] = {}
    for body in order:
        prefix = "" if body is kernel else f"{body.name}:"
        rename = _Renamer(body, prefix, is_kernel=body is kernel)
        registers.update({_prefixed(prefix, name): kind for name, kind in body.registers.items()})
        for block in body.blocks:
            here = block.index + starts[body.name]
            instructions = tuple(rename.instruction(i, index + n) for n, i in enumerate(block.instructions))
            index += len(instructions)
            names = [frozenset(_prefixed(prefix, r) for r in group) for group in _register_sets(block)]
            blocks.append(ptx.Block(here, instructions, tuple(s + starts[body.name] for s in block.successors), *names))
            home[here] = "" if body is kernel else body.name
            if is_function_call(block.instructions[-1]):
                callees[here] = _targets(module, block.instructions[-1])
    functions = _functions(order[:-1], starts, callees)
    registers.update({f.return_register: "b32" for f in functions.values()})
    local = _places(order, functions)
    merged = replace(kernel, blocks=tuple(blocks), registers=registers, local=local, shared=_shared(order))
    return Program(merged, starts[kernel.name], functions, callees, home)


def _prefixed(prefix: str, register: str) -> str:
    """The carry flag is one for all functions: nothing carries over a call."""
    return register if register == CARRY else prefix + register


def _register_sets(block: ptx.Block) -> tuple[frozenset[str], ...]:
    return block.defs, block.uses, block.live_in, block.live_out


def function_numbers(module: ptx.Module) -> dict[str, int]:
    """What stands for the address of each function."""
    return {name: FUNCTION_BASE + 16 * n for n, name in enumerate(module.functions)}


def _targets(module: ptx.Module, call: ptx.Instruction) -> tuple[str, ...]:
    callee = call.operands[1]
    if isinstance(callee, ptx.Symbol):
        return (callee.name,) if callee.name in module.functions else ()
    return _address_taken(module)


def _address_taken(module: ptx.Module) -> tuple[str, ...]:
    """Functions whose address code or data holds."""
    named = {name.split("+")[0] for v in module.variables.values() for _, name in v.relocations}
    for body in (*module.kernels.values(), *module.functions.values()):
        for i in body.instructions:
            if i.opcode == "mov":
                named.update(o.name for o in i.operands if isinstance(o, ptx.Symbol))
    return tuple(name for name in module.functions if name in named)


def _callees_first(module: ptx.Module, kernel: ptx.Kernel) -> list[ptx.Kernel]:
    """Every reachable function after the functions it calls (as far as recursion allows), the kernel last."""
    order: list[ptx.Kernel] = []
    seen: set[str] = {kernel.name}

    def visit(body: ptx.Kernel) -> None:
        for name in _called(module, body):
            if name not in seen:
                seen.add(name)
                visit(module.functions[name])
        order.append(body)

    visit(kernel)
    return order


def _called(module: ptx.Module, body: ptx.Kernel) -> Iterator[str]:
    for i in body.instructions:
        if is_function_call(i):
            yield from _targets(module, i)


def _functions(
    bodies: list[ptx.Kernel], starts: dict[str, int], callees: dict[int, tuple[str, ...]]
) -> dict[str, Function]:
    spans = {b.name: range(starts[b.name], starts[b.name] + len(b.blocks)) for b in bodies}
    calls = {name: {f for block in span for f in callees.get(block, ())} for name, span in spans.items()}
    out = {}
    for body in bodies:
        name = body.name
        arguments = tuple((f"(argument {n})", p.name, p.size) for n, p in enumerate(body.params))
        returns_to = tuple(block + 1 for block, targets in sorted(callees.items()) if name in targets)
        saved = (*(p.name for p in body.params), *(v.name for v in body.local))
        span = spans[name]
        out[name] = Function(name, span.start, span, returns_to, arguments, saved, name in _reach(calls, name))
    return out


def _reach(calls: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    work = list(calls.get(start, ()))
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work.extend(calls.get(name, ()))
    return found


def _places(order: list[ptx.Kernel], functions: dict[str, Function]) -> tuple[ptx.Variable, ...]:
    """Local memory: what the bodies declare, each function's arguments, the places between caller and callee."""
    own = {v.name: v for body in order for v in body.local}
    # The machine's own functions (printf, assert) take at most five arguments.
    sizes: dict[str, int] = {**{f"(argument {n})": 8 for n in range(5)}, "(result 0)": 8}
    for body in order[:-1]:
        for p in body.params:
            own[p.name] = ptx.Variable(p.name, "local", "b8", p.size, 16)
        for word, group in (("argument", body.params), ("result", body.returns)):
            for n, p in enumerate(group):
                place = f"({word} {n})"
                sizes[place] = max(sizes.get(place, 8), p.size)
    for place, size in sorted(sizes.items()):
        own[place] = ptx.Variable(place, "local", "b8", size, 16)
    if any(f.recursive for f in functions.values()):
        own[STACK_POINTER] = ptx.Variable(STACK_POINTER, "local", "b8", 4, 4)
        own[STACK] = ptx.Variable(STACK, "local", "b8", STACK_BYTES, 16)
    return tuple(own.values())


def _shared(order: list[ptx.Kernel]) -> tuple[ptx.Variable, ...]:
    return tuple({v.name: v for body in reversed(order) for v in body.shared}.values())


class _Renamer:
    """Gives a body's registers a prefix and turns parameter traffic into local-memory traffic."""

    def __init__(self, body: ptx.Kernel, prefix: str, *, is_kernel: bool) -> None:
        self.prefix, self.is_kernel = prefix, is_kernel
        self.kernel_params = {p.name for p in body.params} if is_kernel else set()
        self.places = {p.name: f"(result {n})" for n, p in enumerate(body.returns)}
        for i in body.instructions:
            if i.opcode == "call":
                for word, operand in (("result", i.operands[0]), ("argument", i.operands[2])):
                    assert isinstance(operand, ptx.Vector)
                    for n, symbol in enumerate(operand.elements):
                        assert isinstance(symbol, ptx.Symbol)
                        self.places[symbol.name] = f"({word} {n})"

    def instruction(self, i: ptx.Instruction, index: int) -> ptx.Instruction:
        modifiers = i.modifiers
        if i.opcode in ("ld", "st") and "param" in modifiers and not self._is_kernel_param(i):
            modifiers = tuple("local" if m == "param" else m for m in modifiers)
        guard = ptx.Guard(self.prefix + i.guard.register, i.guard.negated) if i.guard else None
        operands = tuple(self.operand(o) for o in i.operands)
        return replace(i, modifiers=modifiers, operands=operands, guard=guard, index=index)

    def _is_kernel_param(self, i: ptx.Instruction) -> bool:
        address = next(o for o in i.operands if isinstance(o, ptx.Address))
        if isinstance(address.base, ptx.Symbol):
            return address.base.name in self.kernel_params
        return self.is_kernel

    def operand(self, o: ptx.Operand) -> ptx.Operand:
        match o:
            case ptx.Register(name=name, negated=negated):
                return o if name == "_" else ptx.Register(self.prefix + name, negated)
            case ptx.Symbol(name=name, offset=offset):
                return ptx.Symbol(self.places.get(name, name), offset)
            case ptx.Address(base=base, offset=offset) if base is not None:
                inner = self.operand(base)
                assert isinstance(inner, (ptx.Register, ptx.Symbol))
                return ptx.Address(inner, offset)
            case ptx.Vector(elements=elements):
                return ptx.Vector(tuple(self.operand(e) for e in elements))
            case ptx.Pair(first=first, second=second):
                one, two = self.operand(first), self.operand(second)
                assert isinstance(one, ptx.Register) and isinstance(two, ptx.Register)
                return ptx.Pair(one, two)
        return o
