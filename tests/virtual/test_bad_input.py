"""Bad input to `warpgauge check`: a clear error that names the place, exit code 2, and nothing half-written."""

from __future__ import annotations

import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from warpgauge.build.readable import MOST_BYTES

EXAMPLE = Path(__file__).parents[2] / "examples" / "vec_add"
COMMAND = [sys.executable, "-m", "warpgauge", "check"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A problem with one good candidate, on a small shape."""
    shutil.copy(EXAMPLE / "problem.toml", tmp_path)
    shutil.copy(EXAMPLE / "candidates" / "naive.cu", tmp_path / "kernel.cu")
    plan = (EXAMPLE / "candidates" / "naive.toml").read_text().replace("naive.cu", "kernel.cu")
    (tmp_path / "candidate.toml").write_text(plan)
    change(tmp_path, "problem.toml", "n = 1000003", "n = 5003")
    return tmp_path


def change(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text, f"{name} has no {old!r} any more"
    (folder / name).write_text(text.replace(old, new, 1))


def check(folder: Path, *options: str, **more: object) -> subprocess.CompletedProcess[str]:
    run = subprocess.run([*COMMAND, *options, str(folder)], capture_output=True, text=True, timeout=300, **more)  # type: ignore[call-overload]
    return run  # type: ignore[no-any-return]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@dataclass(frozen=True)
class Bad:
    """`spoil` makes a good folder bad; `code` and every one of `words` must be said, the place among them."""

    name: str
    spoil: Callable[[Path], None]
    code: str
    words: tuple[str, ...]
    options: tuple[str, ...] = ()


def swap(name: str, old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: change(folder, name, old, new)


def write(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


HUGE = b"// a comment that goes on and on and on and on and on and on and on and on\n" * 700_000
RUBBISH = random.Random(7).randbytes(100_000)
GRID = 'grid = ["ceildiv(n, 256)", 1, 1]'

CASES = (
    Bad("malformed TOML", write("problem.toml", b'[problem\nname = "x"\n'), "PRB901", ("problem.toml:1",)),
    Bad(
        "malformed candidate", write("candidate.toml", b"[candidate]\nsource = = 1\n"), "PRB901", ("candidate.toml:2",)
    ),
    Bad("unknown key", swap("problem.toml", "[dims]", "[dims]\n[nonsense]"), "PRB901", ("nonsense", "problem.toml:")),
    Bad("unknown dtype", swap("problem.toml", '"f32"', '"f31"'), "PRB901", ("f31", "f32", "problem.toml:")),
    Bad("missing tensor", swap("candidate.toml", '"b", ', '"bb", '), "PRB901", ("bb", "candidate.toml:")),
    Bad("unknown entry", swap("candidate.toml", '"vec_add"', '"vec_ad"'), "PRB903", ("vec_ad", "vec_add")),
    Bad(
        "block too large",
        swap("candidate.toml", "block = [256", "block = [2048"),
        "PRB904",
        ("1024", "candidate.toml:"),
    ),
    Bad(
        "shared memory too large",
        swap("candidate.toml", "block =", "dynamic_shared = 300000\nblock ="),
        "PRB904",
        ("300", "candidate.toml:"),
    ),
    Bad(
        "division by zero",
        swap("candidate.toml", GRID, 'grid = ["n / (n - n)", 1, 1]'),
        "PRB902",
        ("zero", "candidate.toml:"),
    ),
    Bad(
        "expression that grows without end",
        swap("candidate.toml", GRID, 'grid = ["n ** n ** n ** n", 1, 1]'),
        "PRB902",
        ("candidate.toml:",),
    ),
    Bad(
        "host code",
        swap("kernel.cu", "extern", "#include <vector>\nint main() { return 0; }\nextern"),
        "SRC803",
        ("main", "kernel.cu:"),
    ),
    Bad(
        "unknown architecture",
        swap("problem.toml", '"sm_90"', '"sm_91"'),
        "PRB904",
        ("sm_91", "sm_90", "problem.toml:"),
    ),
    Bad(
        "unknown architecture on the command line",
        lambda folder: None,
        "PRB904",
        ("sm_70", "sm_75"),
        ("--arch", "sm_70"),
    ),
    Bad(
        "tensor larger than memory",
        swap("problem.toml", "n = 5003", "n = 100000000000"),
        "PRB904",
        ("GiB", "problem.toml:"),
    ),
    Bad("source of 50 MB", write("kernel.cu", HUGE), "PRB907", ("bytes", "kernel.cu")),
    Bad("binary source", write("kernel.cu", RUBBISH), "PRB907", ("not text", "kernel.cu")),
    Bad("binary problem", write("problem.toml", RUBBISH), "PRB907", ("problem.toml",)),
    Bad("binary candidate", write("candidate.toml", RUBBISH), "PRB907", ("candidate.toml",)),
    Bad("no source", lambda folder: (folder / "kernel.cu").unlink(), "PRB907", ("kernel.cu",)),
    Bad(
        "a folder for a source",
        swap("candidate.toml", '"kernel.cu"', '"."'),
        "PRB901",
        ("candidate.toml:", ".(cu|ptx)"),
    ),
)


@pytest.mark.parametrize("bad", CASES, ids=lambda bad: bad.name)
def test_bad_input(folder: Path, bad: Bad) -> None:
    bad.spoil(folder)
    before = contents(folder)
    run = check(folder, *bad.options)
    said = " ".join((run.stdout + run.stderr).split())
    assert run.returncode == 2, said
    assert f"error[{bad.code}]" in said
    assert "Traceback" not in said
    for word in bad.words:
        assert word in said
    assert contents(folder) == before
    assert len(HUGE) > 50_000_000 > MOST_BYTES


@pytest.mark.parametrize("kind", ["a file in its place", "no room left"])
def test_a_cache_that_cannot_be_written_costs_time_only(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    cache = tmp_path_factory.mktemp("cache") / "cache"
    limit = None
    if kind == "a file in its place":
        cache.write_text("not a folder")
    else:
        cache.mkdir()

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    run = check(folder, "--only", "numerics", env=os.environ | {"WARPGAUGE_CACHE": str(cache)}, preexec_fn=limit)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "PASS" in run.stdout
    assert "cache" in run.stderr
    assert run.stderr.count("cannot cache") == 1
    assert cache.is_file() or not [p for p in cache.rglob("*") if p.is_file()]


def test_two_checks_at_once_in_one_folder(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    environment = os.environ | {"WARPGAUGE_CACHE": str(tmp_path_factory.mktemp("cache"))}
    before = contents(folder)
    runs = [
        subprocess.Popen(
            [*COMMAND, "--json", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        for _ in range(3)
    ]
    answers = [run.communicate(timeout=300) for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], answers
    assert len({out for out, _ in answers}) == 1
    assert contents(folder) == before


def test_ctrl_c_ends_a_check_that_executes(folder: Path) -> None:
    (folder / "kernel.cu").write_text(
        'extern "C" __global__ void vec_add(const float* a, const float* b, float* c, int n) {\n'
        "  unsigned x = threadIdx.x;\n"
        "  for (long long k = 0; k < 1000000000000LL; k++) x = x * 1664525u + 1013904223u + c[k % 7 == 8];\n"
        "  c[x % 8] = x;\n}\n"
    )
    before = contents(folder)
    run = subprocess.Popen(
        [*COMMAND, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests in the background of a shell inherit that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(6)
    assert run.poll() is None
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, out + err
    assert "Traceback" not in err
    assert contents(folder) == before


def terminal(folder: Path, columns: int, **environment: str) -> str:
    """What a check of a folder, started in it, writes to a real (pseudo) terminal of that width."""
    pid, fd = pty.fork()
    if pid == 0:  # the child, whose standard streams are the terminal
        os.environ.pop("COLUMNS", None)
        os.environ.update(environment, TERM=environment.get("TERM", "xterm-256color"))
        os.chdir(folder)
        os.execv(COMMAND[0], [*COMMAND, "."])
    import fcntl
    import struct
    import termios

    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    chunks = []
    while True:
        try:
            chunk = os.read(fd, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.waitpid(pid, 0)
    os.close(fd)
    return b"".join(chunks).decode()


def test_a_terminal_of_80_columns_without_colour(folder: Path) -> None:
    change(folder, "kernel.cu", "c[i] = a[i] + b[i];", "c[i] = a[i] + b[i * 8 % n] ; // " + "a long comment " * 8)
    plain = terminal(folder, 80, NO_COLOR="1")
    # Bold and underline may stay: NO_COLOR asks for no colour.
    styles = set(re.findall(r"\x1b\[([\d;]*)m", plain))
    assert styles <= {"0", "1", "2", "4"}
    lines = re.sub(r"\x1b\[[\d;]*m", "", plain).splitlines()
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    for words in ("memory access", "FAIL", "error[MEM101]", "kernel.cu:", "numerics"):
        assert words in text
    assert "\x1b[" not in terminal(folder, 80, TERM="dumb")
    assert re.search(r"\x1b\[[\d;]*3[1-6]m", terminal(folder, 80))
