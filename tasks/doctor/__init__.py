"""What a build needs, looked at one by one; `examine(settings)` gives a list of checks, changes nothing."""

from claimrag.tasks.doctor.check import Check, State
from claimrag.tasks.doctor.examination import examine

__all__ = ["Check", "State", "examine"]
