"""Instruction classes: what each SASS opcode is, and which pipes it keeps busy.

One row per family. Global memory is LDG/STG, shared memory LDS/STS/LDSM/STSM (LDGSTS copies from global to shared),
local memory LDL/STL; `FFMA.RZ` is what `__fmaf_rz` asks for, not the mark of arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .parse import SassInstruction


@dataclass(frozen=True)
class OpClass:
    """`name` is what the instruction mix counts it as, `pipes` names what it occupies (rows of `pipes.py`)."""

    name: str
    pipes: tuple[str, ...] = ()


_FP32 = OpClass("fp32", ("fma",))
# The integer multiply-add runs in one half of the multiply-add pipe.
_IMAD = OpClass("integer", ("fma", "imad"))
_INTEGER = OpClass("integer", ("alu",))
_SELECT = OpClass("compare and select", ("alu",))
_FP16 = OpClass("fp16", ("fp16",))
_FP64 = OpClass("fp64", ("fp64",))
_TENSOR = OpClass("tensor", ("tensor",))
_SPECIAL = OpClass("special functions", ("xu",))
_CONVERT = OpClass("conversion", ("xu",))
_GLOBAL = OpClass("global memory", ("lsu",))
_SHARED = OpClass("shared memory", ("lsu",))
_LOCAL = OpClass("local memory", ("lsu",))
_COPY = OpClass("async copy", ("lsu",))
_CONST = OpClass("constant memory")
_SHUFFLE = OpClass("shuffle and vote", ("lsu",))
_VOTE = OpClass("shuffle and vote", ("alu",))
_BARRIER = OpClass("barrier and fence")
_CONTROL = OpClass("control")
_UNIFORM = OpClass("uniform")
_BULK = OpClass("bulk copy")
_TEXTURE = OpClass("texture", ("tex",))
_OTHER = OpClass("other")

_ROWS: tuple[tuple[OpClass, str], ...] = (
    (_FP32, "FFMA FADD FMUL FFMA2 FADD2 FMUL2 FFMA32I FADD32I FMUL32I"),
    (_IMAD, "IMAD IMAD32I IMUL XMAD"),
    (
        _INTEGER,
        "IADD IADD3 IADD32I LOP LOP3 LOP32I LEA SHF SHL SHR PRMT BMSK SGXT IABS VIADD IDP IDP4A VABSDIFF "
        "VABSDIFF4 MOV MOV32I I2IP R2P P2R ICMP ISCADD",
    ),
    (_SELECT, "ISETP FSETP SEL FSEL FMNMX FMNMX3 IMNMX VIMNMX VIMNMX3 FSET FCMP PLOP3 PSETP"),
    (_FP16, "HFMA2 HADD2 HMUL2 HSET2 HSETP2 HMNMX2 HFMA2_32I HADD2_32I HMUL2_32I"),
    (_FP64, "DFMA DADD DMUL DSETP DMNMX"),
    (_TENSOR, "HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCBAR"),
    (_SPECIAL, "MUFU FCHK POPC BREV FLO"),
    (_CONVERT, "I2F F2I F2F I2I FRND F2FP I2FP F2IP"),
    (_GLOBAL, "LDG STG LD ST ATOM ATOMG RED REDG CCTL CCTLL CCTLT LDTM STTM"),
    (_SHARED, "LDS STS LDSM STSM ATOMS REDS LDSLK STSCUL MOVM"),
    (_LOCAL, "LDL STL"),
    (_COPY, "LDGSTS LDGDEPBAR ARRIVES"),
    (_BULK, "UBLKCP UBLKPF UBLKRED UTMALDG UTMASTG UTMAREDG UTMAPF UTMACCTL UTMACMDFLUSH"),
    (_CONST, "LDC LDCU ULDC"),
    (_SHUFFLE, "SHFL REDUX CREDUX MATCH"),
    (_VOTE, "VOTE"),
    (
        _BARRIER,
        "BAR DEPBAR MEMBAR ERRBAR FENCE WARPSYNC SYNCS CGABAR_ARV CGABAR_WAIT UCGABAR_ARV UCGABAR_WAIT "
        "WARPGROUP WARPGROUPSET UGETNEXTWORKID ENDCOLLECTIVE ACQBULK ELECT",
    ),
    (
        _CONTROL,
        "BRA BRX BRXU BSSY BSYNC BREAK BMOV CALL RET EXIT JMP JMX JMXU KILL NANOSLEEP NOP RPCMOV YIELD "
        "BPT RTT PREEXIT LEPC PMTRIG IDE",
    ),
    (_TEXTURE, "TEX TLD TLD4 TMML TXD TXQ TLDS TEXS SUATOM SULD SURED SUST"),
    (_OTHER, "S2R CS2R S2UR CS2UR B2R R2B SETCTAID SETLMEMBASE GETLMEMBASE AL2P USETMAXREG"),
    (
        _UNIFORM,
        "R2UR UMOV ULOP3 ULEA UIADD3 UIMAD USHF USEL UISETP UPLOP3 UPRMT UFLO UPOPC UBREV UBMSK USGXT UP2UR UR2UP "
        "VOTEU REDUXU UFFMA UFADD UFMUL UFSETP UFSEL UVIADD UVIMNMX UI2F UF2I UI2FP UF2FP UF2F UCLEA UIADD UISCADD",
    ),
)
CLASSES: dict[str, OpClass] = {opcode: kind for kind, names in _ROWS for opcode in names.split()}
# These leave the conversion unit alone: they pack or extend within the integer pipe.
CLASSES |= dict.fromkeys(("F2FP", "I2FP", "F2IP"), OpClass("conversion", ("alu",)))


def class_of(i: SassInstruction) -> OpClass:
    """The class of an instruction; an opcode without a row is "other", the uniform datapath's (U...) "uniform"."""
    if i.opcode in CLASSES:
        return CLASSES[i.opcode]
    return _UNIFORM if i.opcode.startswith("U") else _OTHER


def mix(code: Iterable[SassInstruction]) -> dict[str, int]:
    """How many instructions of each class, the most frequent first."""
    counts = Counter(class_of(i).name for i in code if i.opcode != "NOP")
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def space_of(i: SassInstruction) -> str:
    """global, shared, local or const for an instruction that moves data to or from memory, else ""."""
    names = {_GLOBAL: "global", _SHARED: "shared", _LOCAL: "local", _COPY: "global", _CONST: "const"}
    return names.get(class_of(i), "") if i.opcode not in ("LDGDEPBAR", "ARRIVES", "CCTL", "CCTLL", "MOVM") else ""


def is_load(i: SassInstruction) -> bool:
    """Whether the instruction fills registers from global, shared or local memory."""
    return i.opcode in ("LDG", "LD", "LDS", "LDSM", "LDL", "ATOM", "ATOMG", "ATOMS")
