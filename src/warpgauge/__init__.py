"""warpgauge holds GPU kernels against contracts."""

__version__ = "0.1.0"
