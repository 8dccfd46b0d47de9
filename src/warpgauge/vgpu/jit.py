"""LLVM IR -> machine code of this CPU, kept by content."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from warpgauge import store

from .restricted import Unit

_lock = threading.Lock()
_ready = False
_objects: dict[str, bytes] = {}
_turns: dict[str, threading.Lock] = {}  # candidates that are judged side by side need the same runtime functions
_OPTIONS = "O1"


@dataclass(frozen=True)
class Machine:
    """Loaded code; `engine` keeps it alive."""

    engine: Any
    functions: dict[str, int]

    def function(self, name: str, restype: Any, *argtypes: Any) -> Any:
        return ctypes.CFUNCTYPE(restype, *argtypes)(self.functions[name])


def host_cpu() -> tuple[str, str]:
    """LLVM's name of this CPU and its feature string."""
    _initialise()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _initialise() -> None:
    global _ready
    if not _ready:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _ready = True


def machine_code(text: str, units: Sequence[Unit], exports: Sequence[str]) -> Machine:
    """Compile (or fetch) a kernel's `text` and the runtime functions; addresses of the functions named in `exports`
    (by the start of their symbol). Threads may call this at once."""
    objects = [_object(text), *(_object(u.text) for u in units)]
    symbols = {e: next(u.symbol for u in units if u.symbol.startswith(e)) for e in exports}
    with _lock:
        cpu, features = host_cpu()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(cpu, features))
        for code in objects:
            engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return Machine(engine, {name: engine.get_function_address(symbol) for name, symbol in symbols.items()})


def _object(text: str) -> bytes:
    """Machine code of one module, from memory, from disk, or made now."""
    cpu, features = host_cpu()
    key = hashlib.sha256("\0".join((text, cpu, features, llvmlite.__version__, _OPTIONS)).encode()).hexdigest()
    with _lock:
        turn = _turns.setdefault(key, threading.Lock())
    with turn:
        code = _objects.get(key) or store.load("machine", key)
        if code is None:
            code = _compile(text, cpu, features)
            store.save("machine", key, code)
        _objects[key] = code
    return code


def _target(cpu: str, features: str) -> Any:
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=2, jit=True)


def _compile(text: str, cpu: str, features: str) -> bytes:
    target = _target(cpu, features)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_default_triple(), str(target.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))
