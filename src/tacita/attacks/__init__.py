"""Attacks on raw and published data: what somebody who knows a little can find out. Results are for the owner only.

An attack is a frozen dataclass of what the attacker knows, with one verb, `assess`, that gives an `Assessment`.
"""

from tacita.attacks.commands import PointUniqueness
from tacita.attacks.linkage import Linkage
from tacita.attacks.membership import EdgeGuess, Membership
from tacita.attacks.minimality import Composition, Minimality
from tacita.attacks.result import OWNER_ONLY, Assessment, Figure

__all__ = [
    "OWNER_ONLY",
    "Assessment",
    "Composition",
    "EdgeGuess",
    "Figure",
    "Linkage",
    "Membership",
    "Minimality",
    "PointUniqueness",
]
