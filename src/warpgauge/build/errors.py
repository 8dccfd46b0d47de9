"""Compiler logs -> diagnostics at the user's line."""

from __future__ import annotations

import re

from warpgauge.diagnostics import Diagnostic, Severity, Span
from warpgauge.evidence import Location

_HEADER = re.compile(
    r"^(?P<file>\S.*?)\((?P<line>\d+)\): (?P<kind>catastrophic error|error|warning|note|remark)"
    r"(?: #(?P<number>\d+)(?:-D)?)?: (?P<text>.*)$"
)
_CARET = re.compile(r"^  (\s*)\^\s*$")
_CONTEXT = re.compile(r"^\s{10}(?P<text>\S.*? at line (?P<line>\d+)(?: of \"?(?P<file>[^\"]+)\"?)?)\s*$")
_PTXAS = re.compile(r"^ptxas .*?, line (\d+); (?:error|fatal)\s*: (.*)$")
_PTXAS_PLAIN = re.compile(r"^ptxas (?:fatal|error)\s*: (.*)$")
#: Pseudo file in which NVRTC parses name expressions.
NAME_MAP = "__nv_name_map"

_SEVERITIES: dict[str, Severity] = {"catastrophic error": "error", "error": "error", "warning": "warning"}


def parse_nvrtc_log(log: str) -> tuple[list[Diagnostic], list[str]]:
    """Diagnostics in log order (SRC801, severity error or warning), and the messages about name expressions.

    NVRTC prints a header line, the source line indented by two, and a caret under the column; notes and
    "detected during instantiation" lines that follow become `related`.
    """
    found: list[Diagnostic] = []
    names: list[str] = []
    lines = log.splitlines()
    headers = [(i, match) for i, line in enumerate(lines) if (match := _HEADER.match(line))]
    for position, (start, match) in enumerate(headers):
        end = headers[position + 1][0] if position + 1 < len(headers) else len(lines)
        body = lines[start + 1 : end]
        if match["file"] == NAME_MAP:
            names.append(match["text"])
            continue
        location = Location(match["file"], int(match["line"]), _column(body))
        message = " ".join([match["text"], *_continuation(body)])
        severity = _SEVERITIES.get(match["kind"])
        if severity is None:
            if found and match["kind"] == "note":
                previous = found[-1]
                related = (*previous.related, Span(location, label=message))
                found[-1] = Diagnostic(
                    previous.code, previous.severity, previous.message, previous.primary, related, previous.help
                )
            continue
        context = tuple(
            Span(Location(c["file"] or location.file, int(c["line"])), label=c["text"].removeprefix("detected during "))
            for line in body
            if (c := _CONTEXT.match(line))
        )
        found.append(Diagnostic("SRC801", severity, message, Span(location), context))
    return found, names


def _column(body: list[str]) -> int:
    for line in body:
        if caret := _CARET.match(line):
            return len(caret[1]) + 1
    return 0


def _continuation(body: list[str]) -> list[str]:
    """Message lines that go on below the header: indented by twelve, before the source line."""
    extra = []
    for line in body:
        if not line.startswith(" " * 12) or _CARET.match(line):
            break
        extra.append(line.strip())
    return extra


def ptxas_messages(log: str) -> list[tuple[int, str]]:
    """(PTX line, message) of every error of the assembler that names a line, in the order of the log."""
    return [(int(match[1]), match[2]) for line in log.splitlines() if (match := _PTXAS.match(line))]


def parse_ptxas_log(log: str, file: str) -> list[Diagnostic]:
    """Assembler errors (SRC801) at their lines of the PTX file: the first of a line, with the rest as `related`."""
    by_line: dict[int, list[str]] = {}
    plain: list[str] = []
    for line in log.splitlines():
        if match := _PTXAS.match(line):
            by_line.setdefault(int(match[1]), []).append(match[2])
        elif (match := _PTXAS_PLAIN.match(line)) and "aborted due to errors" not in match[1]:
            plain.append(match[1])
        elif line.startswith("ERROR") and "bad input" in line:
            plain.append("this is not PTX: the text must start with .version, .target and .address_size")
    found = [
        Diagnostic(
            "SRC801",
            "error",
            messages[0],
            Span(Location(file, line)),
            tuple(Span(Location(file, line), label=message) for message in dict.fromkeys(messages[1:])),
        )
        for line, messages in sorted(by_line.items())
    ]
    found += [Diagnostic("SRC801", "error", message, Span(Location(file, 0))) for message in dict.fromkeys(plain)]
    return found or [
        Diagnostic("SRC801", "error", log.strip() or "the assembler gave no reason", Span(Location(file, 0)))
    ]


def only_errors(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
