"""A problem and a candidate to fill in, as commented TOML."""

from __future__ import annotations

from collections.abc import Sequence

from warpgauge.evaluate.stub import Stub, StubKernel, StubParameter
from warpgauge.problem.toml_file import inline

FILL = "FILL IN"
_COLUMN = 26
_WIDTH = 80


def _line(text: str, comment: str = "") -> str:
    """The text with a comment beside it, or above it where both do not fit in 80 columns."""
    beside = f"{text:<{_COLUMN}}  # {comment}" if comment else text
    return beside if len(beside) <= _WIDTH or not comment else f"# {comment}\n{text}"


def _dims(dimensions: Sequence[str], comment: str) -> list[str]:
    return [_line(f"{name} = 0", f"{FILL}: {comment}") for name in dimensions]


def _tensor(parameter: StubParameter, dimensions: Sequence[str]) -> list[str]:
    shape = dimensions[0] if len(dimensions) == 1 else "?"
    rest = 'role = "output"' if parameter.written else 'role = "input", init = "normal"'
    return [
        f'# {FILL}: shape, for example ["{dimensions[0]}"]',
        *([] if parameter.dtype else [f"# {FILL}: dtype, for example f32"]),
        *(['# role = "inout" if it is read too'] if parameter.written else []),
        f'{parameter.name} = {{ shape = ["{shape}"], dtype = "{parameter.dtype or "?"}", {rest} }}',
    ]


def _problem(stub: Stub) -> list[str]:
    parameters = stub.parameters.values()
    dimensions = [p.name for p in parameters if p.kind == "dimension"] or ["n"]
    name = stub.kernels[0].name
    numbers = [p.name for p in parameters if p.kind == "number"]
    scalars = f"scalars = {{ {', '.join(f'{n} = 1.0' for n in numbers)} }}"
    return [
        "[problem]",
        f"name = {inline(name)}",
        f"arch = {inline(stub.arch)}",
        "",
        "[dims]",
        *_dims(dimensions, "the size that is judged"),
        "",
        "[[shapes]]",
        'role = "small"',
        *_dims(dimensions, "a small odd size, which tests guards"),
        "",
        "[tensors]",
        *(line for p in parameters if p.kind == "tensor" for line in _tensor(p, dimensions)),
        "",
        "[reference]",
        _line(f'python = "reference.py:{name}"', f'{FILL}: a function of NumPy arrays; or builtin = "matmul", ...'),
        *([_line(scalars, f"{FILL}: values of the kernel's numbers")] if numbers else []),
        "",
        "[tolerance]",
        _line("rel_l2 = 0.0", f"{FILL}: how far off the output may be as a whole, for example 1e-6"),
    ]


def _argument(parameter: StubParameter) -> str:
    match parameter.kind:
        case "bytes":
            return inline({"bytes": "00" * parameter.size})
        case "flag":
            return inline({"bool": 1})
    return inline(parameter.name)


def _launch(kernel: StubKernel) -> list[str]:
    opaque = [p.name for p in kernel.parameters if p.kind in ("bytes", "flag")]
    block = f"[{kernel.block}, 1, 1]" if kernel.block else '["?", 1, 1]'
    asked = "is this what it is launched with?" if kernel.block else "threads per block, for example 256"
    template = f"{FILL}: the template arguments" if kernel.entry.endswith("<?>") else ""
    lines = [
        "[[launch]]",
        _line(f"entry = {inline(kernel.entry)}", template),
        _line('grid = ["?", 1, 1]', f'{FILL}: blocks, for example "ceildiv(n, 256)"'),
        _line(f"block = {block}", f"{FILL}: {asked}"),
    ]
    if kernel.dynamic_shared:
        lines.append(_line('dynamic_shared = "?"', f"{FILL}: bytes of dynamic shared memory"))
    arguments = f"args = [{', '.join(map(_argument, kernel.parameters))}]"
    return [*lines, _line(arguments, f"{FILL}: the value of {', '.join(opaque)}" if opaque else "")]


def stub_text(stub: Stub) -> str:
    """Both files, one after the other; each begins at a line that names it."""
    several = len(stub.kernels) > 1
    launches = [line for kernel in stub.kernels for line in ("", *_launch(kernel))]
    lines = [
        f"# A problem and a candidate for {stub.source.name}, as far as its kernels tell.",
        f"# Make two files of this, beside it. Complete what is marked {FILL}. Then run:",
        "#   warpgauge check FOLDER",
        "",
        "# ---- problem.toml ----",
        *_problem(stub),
        "",
        "# ---- candidate.toml ----",
        "[candidate]",
        f"source = {inline(stub.source.name)}",
        *(["", f"# {FILL}: launches run in this order; remove what is no part of it"] if several else []),
        *launches,
    ]
    return "\n".join(lines) + "\n"
