"""The problem: its file format, its element types and layouts, its inputs, its reference and the comparison with it."""

from .compare import Comparison, Finding, compare
from .describe import Described, describe_layout, layout_mismatches
from .dtypes import DTYPES, DType, decode, encode, is_poison, poison
from .inputs import Variant, make_inputs, poisoned_outputs, variants
from .layout import Layout
from .load import dump_problem, load_problem, problem_path, problem_schema
from .model import Problem
from .reference import Reference, compute_reference

__all__ = [
    "DTYPES",
    "Comparison",
    "DType",
    "Described",
    "Finding",
    "Layout",
    "Problem",
    "Reference",
    "Variant",
    "compare",
    "compute_reference",
    "decode",
    "describe_layout",
    "dump_problem",
    "encode",
    "is_poison",
    "layout_mismatches",
    "load_problem",
    "make_inputs",
    "poison",
    "poisoned_outputs",
    "problem_path",
    "problem_schema",
    "variants",
]
