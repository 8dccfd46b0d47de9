"""Ground floor: the records that build, vgpu, sass and device produce and that contracts read.

Nothing here knows who produced a record or who judges it.
"""

from .access import Counters, Site, TracedRequest, WorstRequest
from .build import BuildArtifact, KernelResources
from .execution import Execution, Fault, Unsupported
from .location import Location
from .provenance import Coverage, Provenance

__all__ = [
    "BuildArtifact",
    "Counters",
    "Coverage",
    "Execution",
    "Fault",
    "KernelResources",
    "Location",
    "Provenance",
    "Site",
    "TracedRequest",
    "Unsupported",
    "WorstRequest",
]
