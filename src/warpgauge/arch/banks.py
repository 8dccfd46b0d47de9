"""What one shared-memory request costs: wavefronts and conflicts from the lanes' addresses.

The rule was calibrated against Nsight Compute on an H200 (sm_90): 32 banks of 4 bytes; lanes are served in groups
(all 32 up to 4 bytes per lane, half-warps for 8, quarter-warps for 16); a group takes as many wavefronts as the
busiest bank has distinct words; a word that several lanes share is broadcast. Two groups are served as one when every
lane's pair partner (lane ^ 1, or else lane ^ 2) reads the same address; an inactive partner counts as equal.
Advice uses it to try a padding before naming it; the virtual GPU counts with its own compiled form of the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BANKS = 32
WORD = 4
WAVEFRONT_BYTES = BANKS * WORD

# bytes per lane -> lanes per group
_GROUP_LANES = {8: 16, 16: 8}


@dataclass(frozen=True)
class BankCost:
    """`wavefronts` passes for one request, of which `groups` are the least it could take."""

    wavefronts: int
    groups: int

    @property
    def conflicts(self) -> int:
        return self.wavefronts - self.groups


def _paired(addresses: Sequence[int | None], distance: int) -> bool:
    """Whether every active lane's partner at `distance` has the same address or is inactive."""
    for lane, address in enumerate(addresses):
        partner = addresses[lane ^ distance] if lane ^ distance < len(addresses) else None
        if address is not None and partner is not None and address != partner:
            return False
    return True


def bank_cost(addresses: Sequence[int | None], bytes_per_lane: int, *, merge_pairs: bool = True) -> BankCost:
    """Cost of one request. `addresses` are byte addresses by lane, None for an inactive lane.

    `merge_pairs` is for loads; stores were never seen to need the pair rule.
    """
    size = _GROUP_LANES.get(bytes_per_lane, 32)
    if size < 32 and merge_pairs and (_paired(addresses, 1) or _paired(addresses, 2)):
        size *= 2
    wavefronts = groups = 0
    for start in range(0, len(addresses), size):
        words: list[set[int]] = [set() for _ in range(BANKS)]
        for address in addresses[start : start + size]:
            if address is None:
                continue
            for word in range(address // WORD, (address + bytes_per_lane - 1) // WORD + 1):
                words[word % BANKS].add(word)
        busiest = max(len(bank) for bank in words)
        if busiest:
            wavefronts += busiest
            groups += 1
    return BankCost(wavefronts, groups)


def avoidable(wavefronts: int, conflicts: int, lanes: int, bytes_per_lane: int) -> int:
    """The conflicts that a layout could avoid, of requests of `lanes` active lanes in all.

    Where pairs of lanes share an address, hardware serves a wide load in fewer groups and its counter calls what is
    left of the usual two or four wavefronts a conflict. Wavefronts that are needed to carry the lanes' own bytes are
    none.
    """
    return min(conflicts, max(0, wavefronts - -(-lanes * bytes_per_lane // WAVEFRONT_BYTES)))
