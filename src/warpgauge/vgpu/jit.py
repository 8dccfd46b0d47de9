"""LLVM IR -> machine code of this CPU, kept by content."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from dataclasses import dataclass
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from warpgauge import store

_lock = threading.Lock()
_ready = False
_loaded: dict[str, Machine] = {}


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


def machine_code(text: str, exports: tuple[str, ...]) -> Machine:
    """Compile (or fetch) `text` and return the addresses of `exports`. Threads may call this at once."""
    cpu, features = host_cpu()
    key = hashlib.sha256("\0".join((text, cpu, features, llvmlite.__version__)).encode()).hexdigest()
    with _lock:
        if key in _loaded:
            return _loaded[key]
    code = store.load("machine", key)
    if code is None:
        code = _compile(text, cpu, features)
        store.save("machine", key, code)
    with _lock:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(cpu, features))
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        machine = Machine(engine, {name: engine.get_function_address(name) for name in exports})
        return _loaded.setdefault(key, machine)


def _target(cpu: str, features: str) -> Any:
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=2, jit=True)


def _compile(text: str, cpu: str, features: str) -> bytes:
    target = _target(cpu, features)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_default_triple(), str(target.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))
