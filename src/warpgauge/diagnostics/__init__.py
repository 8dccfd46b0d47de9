"""Diagnostics: the record, the code table, one renderer per output."""

from .codes import CODES, Code, code_row
from .record import Diagnostic, Severity, Silenced, Span, WarpgaugeError

__all__ = ["CODES", "Code", "Diagnostic", "Severity", "Silenced", "Span", "WarpgaugeError", "code_row"]
