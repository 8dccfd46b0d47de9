"""Cubins and predicted cycles of all variants, written to a folder that travels to the GPU.

How often a warp passes through each loop, and what its accesses cost, is counted on the virtual GPU: a few blocks of
the very launch that is measured.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from warpgauge.arch import CHIPS, Demand, occupancy
from warpgauge.build import compile_source
from warpgauge.evidence import Location
from warpgauge.sass.model import machine_code, parts_of
from warpgauge.sass.pipes import Machine
from warpgauge.sass.predict import costs_of, passes, predict
from warpgauge.vgpu import GlobalMemory, execute
from warpgauge.vgpu.sample import sampled_blocks

from .inputs import buffer
from .variants import ENTRY, Variant, variants

ARCH, CHIP = "sm_90a", "H200"
BLOCKS = 4


def _line(number: int) -> Location:
    return Location("ptx", number)


def predicted(variant: Variant, folder: Path) -> dict[str, Any]:
    """One row of the plan; the cubin lies beside it."""
    build = compile_source(variant.source, arch=ARCH, entries=[ENTRY], defines=variant.defines)
    machine = Machine.of(ARCH, CHIPS[CHIP])
    memory, arguments, held = GlobalMemory(), [], 0
    for n, text in enumerate(variant.args):
        kind, *rest = text.split()
        if kind == "i32":
            arguments.append(int(rest[0]))
            continue
        array = buffer(kind, rest[0], int(rest[1]))
        held += array.nbytes
        arguments.append(memory.add(f"a{n}", array))
    execution = execute(
        build,
        ENTRY,
        grid=variant.grid,
        block=variant.block,
        dynamic_shared=variant.dynamic_shared,
        arguments=arguments,
        memory=memory,
        mode="count",
        sample=sampled_blocks(variant.grid, BLOCKS),
        threads=2,
    )
    if not execution.completed:
        raise RuntimeError(f"{variant.family}, {variant.name}: {execution.stopped}")
    scale = execution.coverage.total / execution.coverage.done
    asked = 32 * scale * sum(site.sectors for site in execution.sites if site.space == "global")
    # Launches follow one another: what the L2 can hold is there when the next one starts.
    cached = held <= machine.chip.l2_bytes
    unique = min(held, asked)
    costs = costs_of(execution, machine, unique, cached)
    code = machine_code(build.sass, build.cubin, ENTRY, machine, _line, costs=costs)
    resources = build.resources[ENTRY]
    threads = variant.block[0] * variant.block[1] * variant.block[2]
    found = occupancy(
        machine.limit,
        Demand(threads, resources.registers, resources.static_shared, variant.dynamic_shared, resources.barriers),
    )
    turns = passes(parts_of(build.sass, build.cubin, ENTRY), execution)
    time = predict(code, turns, execution, found, machine, memory_bytes=0.0 if cached else unique)
    file = f"{variant.family}_{variant.name.replace(' ', '_').replace(',', '')}.cubin"
    (folder / file).write_bytes(build.cubin)
    return {
        **{key: value for key, value in asdict(variant).items() if key != "defines"},
        "cubin": file,
        "registers": resources.registers,
        "cycles": time.cycles,
        "bound": time.bound,
        "warps_per_scheduler": time.warps_per_scheduler,
        "memory_cycles": time.memory_cycles,
        "stretches": [asdict(row) for row in time.times],
    }


def write_plan(folder: Path) -> None:
    """Compiles and predicts every variant into `folder`/plan.json."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for variant in variants():
        row = predicted(variant, folder)
        rows.append(row)
        print(f"{variant.family:<15} {variant.name:<40} {row['cycles']:>14,.0f} cycles  {row['bound']}", flush=True)
    plan = {"arch": ARCH, "chip": CHIP, "clock_hz": CHIPS[CHIP].clock_hz, "variants": rows}
    (folder / "plan.json").write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
