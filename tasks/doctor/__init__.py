"""What a build needs, looked at one by one; `examine(settings)` gives a list of checks, changes nothing."""

from tasks.doctor.check import Check, State
from tasks.doctor.examination import examine

__all__ = ["Check", "State", "examine"]
