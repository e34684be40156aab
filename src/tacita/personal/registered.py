"""What the registration of the kind asks for beside reading: what was typed about reading, and the format of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tacita.kinds.words import output_format as format_of_lists
from tacita.kinds.words import timed_reading
from tacita.personal.records import PersonalReading
from tacita.public.inputs import PublicInputs

__all__ = ["output_format", "reading"]


def reading(given: Mapping[str, Any]) -> PersonalReading:
    """How the private file is read, and how long a stay may weigh at most."""
    return PersonalReading(options=timed_reading(given), longest_stay=given.get("longest_stay"))


def output_format(source: str, *, options: PersonalReading, public: PublicInputs, wanted: str | None) -> str:
    """The format of the release, which has no times even where a grid weighed the places."""
    return format_of_lists(source, options=options.options, public=replace(public, grid=None), wanted=wanted)
