"""Source -> PTX, cubin, resources and SASS text, with nothing but Python wheels installed."""

from .compile import compile_source, source_files
from .toolchain import Toolchain, find_toolchain

__all__ = ["Toolchain", "compile_source", "find_toolchain", "source_files"]
