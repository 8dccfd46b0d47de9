"""The heart: `evaluate` judges one candidate of a problem, `trace_kernel` executes one launch outside any problem."""

from .baseline import load_baseline
from .files import check_files
from .flow import evaluate
from .givens import Givens
from .record import Evaluation, Run, worst_code
from .silencing import Silencing, write_baseline
from .trace import TraceResult, load_launch, save_outputs, trace_kernel

__all__ = [
    "Evaluation",
    "Givens",
    "Run",
    "Silencing",
    "TraceResult",
    "check_files",
    "evaluate",
    "load_baseline",
    "load_launch",
    "save_outputs",
    "trace_kernel",
    "worst_code",
    "write_baseline",
]
