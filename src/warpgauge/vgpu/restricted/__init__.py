"""A small compiler: restricted Python functions -> LLVM IR text.

The virtual GPU's runtime (counting, shadow state, barriers, scheduling) is written as plain Python functions over
machine types and compiled once with the kernel. Integers are unsigned unless a name says otherwise (`slt`, `ashr`);
`p[i]` loads and stores; a vector holds one value per lane and mixes with scalars by splatting; module-level Python
constants fold, so `if COUNT:` on a constant leaves only the taken side. Locals take the type of their first value.
"""

from .library import Library, Unit
from .template import Record, RestrictedError, Template

__all__ = ["Library", "Record", "RestrictedError", "Template", "Unit"]
