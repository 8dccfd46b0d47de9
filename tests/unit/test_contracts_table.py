"""The table: settings reach contracts, what is not built says so, and who binds."""

from __future__ import annotations

import pytest

from tests.unit.hand import Case, case, execution, global_site, strided
from warpgauge.contracts import CONTRACTS, Verdict, judge
from warpgauge.evidence import BuildArtifact, KernelResources
from warpgauge.problem.settings import CONTRACTS as SETTINGS
from warpgauge.problem.settings import ContractSettings


def settings(name: str, *, asked: bool = True, binds: bool = True) -> ContractSettings:
    return ContractSettings(name, asked, binds, SETTINGS[name].sound)


def built(**spills: int) -> BuildArtifact:
    """One kernel per keyword, that spills this many bytes of stores and as many of loads."""
    resources = {f"_Z{name}": KernelResources(f"_Z{name}", 40, 0, 16, n, n) for name, n in spills.items()}
    lowered = {name: f"_Z{name}" for name in spills}
    return BuildArtifact("sm_90", "", b"", "", lowered, resources, {}, "nvrtc", "key")


def test_every_row_has_settings_and_every_setting_a_row() -> None:
    assert CONTRACTS.keys() == SETTINGS.keys()


def test_binding_is_what_the_problem_says() -> None:
    evidence = case(execution(global_site(strided(128), 4)))
    assert judge("memory_access", evidence, settings("memory_access")).binds
    advisory = judge("memory_access", evidence, settings("memory_access", binds=False))
    assert (advisory.verdict, advisory.binds) == (Verdict.FAIL, False)


def test_a_contract_that_is_not_built_is_unknown() -> None:
    result = judge("utilisation", case(execution()), settings("utilisation"))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "this contract is not built yet")


def test_a_contract_that_the_problem_leaves_out_is_not_asked_and_does_not_bind() -> None:
    result = judge("memory_access", Case(), settings("memory_access", asked=False))
    assert (result.verdict, result.binds) == (Verdict.NOT_ASKED, False)


def test_the_target_is_never_predicted() -> None:
    silent = judge("target", Case(), settings("target", asked=False, binds=False))
    assert (silent.verdict, silent.binds) == (Verdict.NOT_ASKED, False)
    asked = judge("target", Case(asked_target="ratio >= 0.997 of cublaslt-best"), settings("target"))
    assert (asked.verdict, asked.binds) == (Verdict.UNKNOWN, True)
    assert "GPU" in asked.reason and "0.997" in asked.reason


def test_registers_pass_without_spills() -> None:
    result = judge("registers", Case(build=built(a=0, b=0), entries=("a", "b")), settings("registers"))
    assert (result.verdict, result.measured, result.asked) == (Verdict.PASS, 0, 0)
    assert result.provenance is not None and result.provenance.kind == "quoted"


def test_registers_fail_on_any_spill_of_a_kernel_in_the_plan() -> None:
    evidence = Case(build=built(a=0, b=8), entries=("a", "b"))
    result = judge("registers", evidence, settings("registers"))
    assert (result.verdict, result.measured) == (Verdict.FAIL, 16)
    assert [d.code for d in result.diagnostics] == ["OCC301"]
    assert "8 bytes of stores and 8 bytes of loads" in result.diagnostics[0].message
    # A kernel that the plan does not launch is nobody's concern.
    unlaunched = Case(build=built(a=0, b=8), entries=("a",))
    assert judge("registers", unlaunched, settings("registers")).verdict is Verdict.PASS


@pytest.mark.parametrize(
    "evidence",
    [Case(missing={"build": "it did not build"}), Case(build=built(a=0), entries=("a", "b")), Case(build=built())],
)
def test_registers_are_unknown_without_the_compiler_s_word(evidence: Case) -> None:
    assert judge("registers", evidence, settings("registers")).verdict is Verdict.UNKNOWN
