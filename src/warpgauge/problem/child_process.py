"""One of the package's scripts in a Python process of its own, which runs a function of the user's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def run_child(
    script: Path, arguments: Sequence[str], *, folder: Path, timeout: float, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs `script` in `folder` with `text` on standard input; its output is kept.

    After `timeout` seconds (subprocess.TimeoutExpired), and on an interrupt, it ends with all that it has started.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-B", str(script), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=folder,
        # A group of its own, which can be ended as a whole.
        start_new_session=True,
    )
    try:
        out, err = process.communicate(text, timeout=timeout)
    except BaseException:
        # The child has not been waited for, so its number, which is the group's, still names it.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
