"""Ground floor: the records that build, vgpu, sass and device produce and that contracts read.

Nothing here knows who produced a record or who judges it.
"""

from .access import Counters, Site, TracedRequest, WorstRequest
from .build import BuildArtifact, KernelResources
from .divergence import BlockActivity, Branch, LineActivity, Split
from .execution import Execution, Fault, Footprint, Unsupported, Writer
from .location import Location, helper_file
from .machine_code import LoadUse, LocalTraffic, MachineCode, PredictedTime, Segment, Stretch, StretchTime
from .parallelism import LoadBatch, Parallelism
from .provenance import BY_TILE, Coverage, Provenance

__all__ = [
    "BY_TILE",
    "BlockActivity",
    "Branch",
    "BuildArtifact",
    "Counters",
    "Coverage",
    "Execution",
    "Fault",
    "Footprint",
    "KernelResources",
    "LineActivity",
    "LoadBatch",
    "LoadUse",
    "LocalTraffic",
    "Location",
    "MachineCode",
    "Parallelism",
    "PredictedTime",
    "Provenance",
    "Segment",
    "Site",
    "Split",
    "Stretch",
    "StretchTime",
    "TracedRequest",
    "Unsupported",
    "WorstRequest",
    "Writer",
    "helper_file",
]
