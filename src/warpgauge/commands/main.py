"""The command line's entry point: parses, runs one command, and turns failures into messages and exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from warpgauge import __version__
from warpgauge.diagnostics import WarpgaugeError

from . import check, diff, doctor, explain, init, new_check, occupancy, pad, sass, tiles, trace, truth
from .exit_codes import BROKEN_PIPE, INTERNAL_ERROR, INTERRUPTED, USAGE_ERROR

COMMANDS = (check, diff, init, new_check, trace, sass, occupancy, pad, tiles, explain, doctor, truth)

_EPILOG = """\
exit codes: 2 usage or problem error; 1 a binding contract FAILs; 3 a binding contract is UNKNOWN; 0 otherwise
(in this order of precedence; several candidates give the worst of theirs)
"""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="warpgauge",
        description="Holds GPU kernels against contracts: verdicts with the line, the lanes and the numbers.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"warpgauge {__version__}")
    top.add_argument("--debug", action="store_true", help="show a traceback when warpgauge itself fails")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return top


def _leave(code: int) -> NoReturn:
    """Ends the process at once: an ordered exit would free memory under executions that still run in native threads."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; argparse's own errors exit with 2 as well.

    Without `argv` this is the process's own command line, and an interrupt ends the process here.
    """
    arguments = parser().parse_args(argv)
    return guarded(lambda: int(arguments.run(arguments)), debug=arguments.debug, own_process=argv is None)


def guarded(run: Callable[[], int], *, debug: bool = False, own_process: bool = False) -> int:
    """What `run` returns, or the exit code of how it failed, with the message on stderr."""
    try:
        return run()
    except WarpgaugeError as error:
        from .screen import show_error

        show_error(error)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("warpgauge: interrupted", file=sys.stderr)
        if own_process:
            _leave(INTERRUPTED)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; pointing stdout elsewhere keeps Python from failing again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if debug:
            raise
        print(
            f"warpgauge: internal error: {type(error).__name__}: {error}\n"
            "This is a fault of warpgauge, not of your kernel. Please report it with the output of the same command "
            "with --debug before the command's name, the problem and the candidate.",
            file=sys.stderr,
        )
        return INTERNAL_ERROR
