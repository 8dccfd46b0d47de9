"""The heart: `evaluate` judges one candidate of a problem, `trace_kernel` executes one launch outside any problem."""

from .files import check_files
from .flow import evaluate
from .givens import Givens
from .record import Evaluation, Run, worst_code
from .trace import TraceResult, load_launch, save_outputs, trace_kernel

__all__ = [
    "Evaluation",
    "Givens",
    "Run",
    "TraceResult",
    "check_files",
    "evaluate",
    "load_launch",
    "save_outputs",
    "trace_kernel",
    "worst_code",
]
