"""LLVM IR -> machine code of this CPU, kept by content."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from warpgauge import store

_lock = threading.Lock()
_ready = False
_objects: dict[str, bytes] = {}
_turns: dict[str, threading.Lock] = {}  # candidates that are judged side by side need the same runtime functions
# What LLVM's own pipelines do beyond this takes longer than all of it, and leaves machine code of the same size: values
# of a block are found equal, and moved out of loops, once more when machine code is selected.
_PASSES = ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "simplify_cfg", "aggressive_dce")


@dataclass(frozen=True)
class Machine:
    """Loaded code; `engine` keeps it alive."""

    engine: Any
    functions: dict[str, int]

    def function(self, name: str, restype: Any, *argtypes: Any) -> Any:
        return ctypes.CFUNCTYPE(restype, *argtypes)(self.functions[name])


@cache
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


def compile_module(text: str) -> str:
    """Compile a module's LLVM IR, unless that was done before; returns the key of its machine code."""
    cpu, features = host_cpu()
    key = hashlib.sha256("\0".join((text, cpu, features, llvmlite.__version__, *_PASSES)).encode()).hexdigest()
    with _lock:
        turn = _turns.setdefault(key, threading.Lock())
    with turn:
        if fetch(key) is None:
            code = _objects[key] = _compile(text, cpu, features)
            store.save("machine", key, code)
    return key


def fetch(key: str) -> bytes | None:
    """Machine code from memory or disk."""
    if key not in _objects and (code := store.load("machine", key)) is not None:
        _objects[key] = code
    return _objects.get(key)


def link(keys: Sequence[str], symbols: Mapping[str, str]) -> Machine:
    """Load modules together; `symbols` names the functions whose addresses are wanted. Threads may call it at once."""
    cpu, features = host_cpu()
    with _lock:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(cpu, features))
        for key in keys:
            engine.add_object_file(llvm.ObjectFileRef.from_data(_objects[key]))
        engine.finalize_object()
        return Machine(engine, {name: engine.get_function_address(symbol) for name, symbol in symbols.items()})


def _target(cpu: str, features: str) -> Any:
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=2, jit=True)


def _compile(text: str, cpu: str, features: str) -> bytes:
    target = _target(cpu, features)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_default_triple(), str(target.target_data)
    module.verify()
    passes = llvm.create_new_module_pass_manager()
    for name in _PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options()))
    return bytes(target.emit_object(module))
