"""The candidate: its file format, its launch plan evaluated for a shape, and the launch file of `warpgauge trace`."""

from .arguments import Arg, BufferArg, BytesArg, NullArg, ScalarArg, TensorMapArg
from .choices import choices
from .constants import constant_bytes
from .load import candidate_schema, dump_candidate, find_candidates, load_candidate
from .model import Candidate
from .plan import PlannedLaunch, plan, plan_tensor_maps
from .scope import Scope, scope, workspace_layout
from .tensor_map import PlannedTensorMap
from .trace_launch import TraceLaunch, TracePlan, load_trace_launch, trace_plan

__all__ = [
    "Arg",
    "BufferArg",
    "BytesArg",
    "Candidate",
    "NullArg",
    "PlannedLaunch",
    "PlannedTensorMap",
    "ScalarArg",
    "Scope",
    "TensorMapArg",
    "TraceLaunch",
    "TracePlan",
    "candidate_schema",
    "choices",
    "constant_bytes",
    "dump_candidate",
    "find_candidates",
    "load_candidate",
    "load_trace_launch",
    "plan",
    "plan_tensor_maps",
    "scope",
    "trace_plan",
    "workspace_layout",
]
