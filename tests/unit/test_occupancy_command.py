"""`warpgauge occupancy`: numbers as JSON, a derivation for people, exit code 2 for bad values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from warpgauge.commands.main import main

ASKED = ["occupancy", "--arch", "sm_90", "--registers", "104", "--block", "192", "--dynamic-shared", "0"]


def answer(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert main([*argv, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, *ASKED)
    assert (found["blocks_per_sm"], found["warps_per_sm"], found["occupancy"]) == (2, 12, 0.1875)
    assert found["limited_by"] == "registers"
    assert found["limits"] == {"warps": 10, "registers": 2, "shared memory": 228, "blocks": 32}
    steps = {(step["quantity"], step["direction"]): step for step in found["steps"]}
    assert steps["registers", "up"]["value"] == 96 and steps["registers", "up"]["change"] == -8
    assert steps["registers", "up"]["blocks_per_sm"] == 3
    assert steps["registers", "down"]["value"] == 169
    assert steps["threads", "up"]["value"] == 160
    assert ("shared memory", "up") not in steps
    assert found["chip"] is None and found["waves"] is None


def test_shared_memory_and_suffixes(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["occupancy", "--arch", "sm_90a", "--registers", "32", "--block", "16x16"]
    found = answer(capsys, *argv, "--static-shared", "4096", "--dynamic-shared", "100000")
    assert (found["arch"], found["threads"], found["block"]) == ("sm_90", 256, [16, 16, 1])
    assert (found["blocks_per_sm"], found["limited_by"]) == (2, "shared memory")
    assert found["shared_per_block"] == 105216  # 105,120 with the system's share, in units of 128


def test_with_a_chip_and_a_grid(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, *ASKED, "--chip", "H200", "--grid", "1000", "--elements", "191000")
    assert found["waves"]["full"] == 3 and found["waves"]["tail"] == 208 and found["waves"]["idle_threads"] == 1000
    assert found["chip"]["memory_bytes_in_flight_per_sm"] == pytest.approx(12856, abs=1)
    assert set(found["chip"]["sources"]) >= {"sms", "memory_bandwidth", "memory_latency_cycles"}


def test_a_block_that_does_not_fit_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["occupancy", "--arch", "sm_90", "--registers", "100", "--block", "1024"]
    found = answer(capsys, *argv)
    assert (found["blocks_per_sm"], found["occupancy"], found["limited_by"]) == (0, 0, "registers")
    assert "do not fit" in found["refused"]
    assert [step["value"] for step in found["steps"] if step["direction"] == "up"] == [64, 512]
    assert main(argv) == 0
    assert "does not launch" in capsys.readouterr().out


def test_equal_questions_give_equal_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    texts = set()
    for _ in range(2):
        main([*ASKED, "--json"])
        texts.add(capsys.readouterr().out)
    assert len(texts) == 1


def test_the_derivation(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*ASKED, "--chip", "H200", "--grid", "1000"]) == 0
    out = capsys.readouterr().out
    text = " ".join(out.split())
    for words in (
        "2 blocks, 12 of 64 warps per SM, occupancy 18.8 %",
        "limited by registers",
        "192 threads / 32 = 6 warps per block",
        "104 registers x 32 lanes = 3,328, handed out as 3,328 per warp (units of 256)",
        "each of 4 sub-partitions has 16,384: 4 warps, 16 per SM",
        "1,024 reserved by the system",
        "more blocks at most 96 registers per thread (-8): 3 blocks, 18 warps, 28.1 %",
        "12,856 bytes of loads for full bandwidth: 354 ns x 4,800 GB/s / 132 SMs",
        "3 full, 208 blocks in a last one on 132 SMs",
    ):
        assert words in text, words
    assert max(map(len, out.splitlines())) <= 80 and "\x1b" not in out


def test_no_step_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    main(["occupancy", "--arch", "sm_90", "--registers", "16", "--block", "32"])
    assert "nothing alone gives more blocks: blocks would have to change" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"--arch": "sm_42"}, "no limits known for 'sm_42'"),
        ({"--registers": "0"}, "registers per thread: 0 is not within 1 to 255"),
        ({"--registers": "256"}, "registers per thread: 256"),
        ({"--block": "1025"}, "block.x: 1025"),
        ({"--block": "1x1x65"}, "block.z: 65"),
        ({"--block": "64x64"}, "threads per block: 4096"),
        ({"--block": "0"}, "block.x: 0"),
        ({"--dynamic-shared": "-1"}, "dynamic shared memory: -1"),
        ({"--dynamic-shared": "300000"}, "dynamic shared memory: 300000"),
        ({"--static-shared": "50000"}, "static shared memory: 50000"),
        ({"--barriers": "17"}, "barriers: 17"),
        ({"--chip": "H2000"}, "no chip called 'H2000'"),
        ({"--chip": "A100"}, "chip A100 is sm_80, not sm_90"),
        ({"--grid": "4"}, "--grid needs --chip"),
        ({"--chip": "H200", "--elements": "4"}, "--elements needs --grid"),
        ({"--chip": "H200", "--grid": "1x65536"}, "grid.y: 65536"),
        ({"--chip": "H200", "--grid": "1", "--elements": "-4"}, "elements: -4"),
    ],
)
def test_bad_values(change: dict[str, str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    values = {"--arch": "sm_90", "--registers": "32", "--block": "64"} | change
    assert main(["occupancy", *(text for pair in values.items() for text in pair)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in " ".join(err.split())


@pytest.mark.parametrize("block", ["-5", "4.5", "a", "1x2x3x4", "", "4x"])
def test_what_is_no_size(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["occupancy", "--arch", "sm_90", "--registers", "32", f"--block={block}"])
    assert leaving.value.code == 2 and "is not a size" in capsys.readouterr().err
