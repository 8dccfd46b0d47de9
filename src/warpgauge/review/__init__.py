"""What the source and the machine code of a candidate say without being executed: findings, never verdicts."""

from .subject import Subject
from .table import RULES, Rule, review

__all__ = ["RULES", "Rule", "Subject", "review"]
