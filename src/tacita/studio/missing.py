"""What is missing before a file can be published, each with the field of the page where it is said.

The kind's own code reads the public inputs as the command will read them, so that nothing passes here that is refused there.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import TacitaError
from tacita.formats import LISTS, format_ending
from tacita.inspecting import ColumnType
from tacita.inspecting.declaring import SETTLES
from tacita.io.formats import rows_of
from tacita.kinds import Kind, Option, kind_named, load
from tacita.kinds.configuration import COLUMNS
from tacita.kinds.options import reading_default
from tacita.public.universe import Universe
from tacita.studio.mapping import CELLS, CORNERS, GRID, ROLES, Seen, asked_of, has_option, roles_of, slug_of
from tacita.studio.workspace import Publication, Workspace

__all__ = ["Missing", "event_columns", "labels_of", "missing_of", "wanted_of"]


@dataclass(frozen=True)
class Missing:
    """What is missing or wrong, and the field that it is about."""

    text: str
    field: str


def missing_of(publication: Publication, seen: Seen, workspace: Workspace) -> list[Missing]:
    """Everything that the owner must still say, or that cannot be so."""
    kind = kind_named(publication.kind)
    found = [
        *_missing_roles(publication, seen, kind),
        *_missing_answers(publication, seen),
        *_missing_labels(publication, seen, workspace, kind),
        *_missing_times(publication, seen, kind),
        *_missing_columns(publication, seen, kind),
        *_missing_files(publication, workspace, kind),
    ]
    return found or list(_refused_inputs(publication, workspace, kind))


def _refused_inputs(publication: Publication, workspace: Workspace, kind: Kind) -> Iterator[Missing]:
    """What the kind's own code says about the public inputs, read as the command will read them."""
    given: dict[str, object] = {COLUMNS: publication.columns} if publication.columns else {}
    for option in kind.public_options:
        text = publication.options.get(option.field_name, "")
        path = workspace.folder / text
        try:
            if text:
                given[option.field_name] = str(path) if _is_file(option) and path.is_file() else option.convert(text)
        except (TacitaError, ArgumentTypeError, ValueError) as error:
            yield Missing(
                f"{option.field_name.replace('_', ' ')}: {error or 'it cannot be read'}.", f"option-{option.field_name}"
            )
            return
    if publication.observed or (has_option(kind, "universe") and not {"universe", *CELLS} & set(given)):
        return
    try:
        load(kind.inputs)(given)
    except TacitaError as error:
        grid = [name for name in GRID if name in given]
        place = "cells-size" if "cells" in given else "columns" if publication.columns else f"option-{grid[0]}" if grid else "map"
        yield Missing(f"{str(error)[:1].upper()}{str(error)[1:]}.", place)


def _is_file(option: Option) -> bool:
    return (option.metavar or "").startswith("FILE")


def wanted_of(seen: Seen) -> set[str]:
    """What the owner must say, by field name, as `inspect` tells it."""
    said = () if seen.found is None else seen.found.owner_options
    return {option.partition(" ")[0].removeprefix("--").replace("-", "_") for option in said}


def _missing_roles(publication: Publication, seen: Seen, kind: Kind) -> Iterator[Missing]:
    roles = roles_of(kind)
    for role in roles:
        held = publication.options.get(role, "")
        if "\n" in held:
            yield Missing(f"Only one column can be the {role}: {' and '.join(held.splitlines())} are chosen.", _place(seen, held))
        elif held and seen.names and held not in seen.names:
            yield Missing(f"The file has no column {held!r} for the {role}.", "columns")
    by_points = bool(publication.options.get("cells"))
    for role in roles if seen.names else ():
        usual = reading_default(kind, role)
        idle = {"label"} if by_points else {"latitude", "longitude"}
        if not publication.options.get(role) and usual is not None and usual not in seen.names and role not in idle:
            yield Missing(f"Which column is the {ROLES.get(role, role).lower()}?", "columns")


def _place(seen: Seen, held: str) -> str:
    return f"role-{seen.names.index(held.splitlines()[-1])}"


def _missing_answers(publication: Publication, seen: Seen) -> Iterator[Missing]:
    for question in asked_of(seen):
        name = SETTLES[question.about]
        if not publication.options.get(name) and question.about not in publication.answers:
            yield Missing(question.text, f"answer-{slug_of(question)}")


def _missing_labels(publication: Publication, seen: Seen, workspace: Workspace, kind: Kind) -> Iterator[Missing]:
    options = publication.options
    if not has_option(kind, "universe") or publication.observed:
        return
    cells, size = (options.get(name, "") for name in CELLS)
    if cells or size:
        if len([part for part in cells.split(",") if part.strip()]) != len(CORNERS):
            yield Missing("The box of the map needs all four sides, in degrees.", "cells-south")
        if not size:
            yield Missing("How large is a cell? Such as 500m, 0.01deg or 16x16.", "cells-size")
    elif not options.get("universe"):
        if not seen.names or "universe" in wanted_of(seen) or "cells" in wanted_of(seen) or seen.found is None:
            by_points = "cells" in wanted_of(seen)
            labels, cells = "Which labels may appear? Name a public list.", "In which box of the map, and how large is a cell?"
            yield Missing(cells if by_points else labels, "labels")
    else:
        why = labels_of(options["universe"], publication, workspace)
        if isinstance(why, str):
            yield Missing(why, "option-universe")


def labels_of(named: str, publication: Publication, workspace: Workspace) -> int | str:
    """How many labels a public list has, or why it will not do; the header of a `.seq` file declares its own."""
    path = workspace.folder / named
    if path.resolve() == (workspace.folder / publication.file).resolve() and ".seq" not in path.suffixes:
        return "The labels must not come from the private file: a label that is there only because somebody was gives them away."
    try:
        return len(Universe.read(path))
    except TacitaError as error:
        return f"{str(error)[:1].upper()}{str(error)[1:]}."


def _missing_times(publication: Publication, seen: Seen, kind: Kind) -> Iterator[Missing]:
    if not has_option(kind, GRID[0]):
        return
    given = [name for name in GRID if publication.options.get(name)]
    asked = {"time_start": "When do the times begin?", "time_step": "How long is one step?", "time_intervals": "How many steps?"}
    if given or set(GRID) <= wanted_of(seen):
        yield from (Missing(text, f"option-{name}") for name, text in asked.items() if name not in given)


def _missing_columns(publication: Publication, seen: Seen, kind: Kind) -> Iterator[Missing]:
    if not has_option(kind, COLUMNS) or publication.options.get(COLUMNS):
        return
    if not publication.columns:
        yield Missing("No column is published yet: say what at least one may hold.", "columns")
    for name, one in publication.columns.items():
        place = seen.names.index(name) if name in seen.names else 0
        asked = {
            "number": {"low": "the lowest value", "high": "the highest value"},
            "date": {"first": "the first day", "last": "the last day"},
            "time": {"first": "the first moment", "last": "the last moment"},
            "category": {} if "edges" in one else {"values": "its values"},
        }.get(str(one.get("type")), {})
        column = seen.columns.get(name)
        if one.get("type") == "number" and column is not None and column.type is not ColumnType.WHOLE:
            asked["step"] = "a step, such as 0.01"
        left = [key for key in asked if one.get(key) in (None, "", [])]
        if left:
            said = " and ".join(asked[key] for key in left)
            yield Missing(f"{name} needs {said}.", f"column-{place}-{left[0]}")


def _missing_files(publication: Publication, workspace: Workspace, kind: Kind) -> Iterator[Missing]:
    if not has_option(kind, "events"):
        return
    named = publication.options.get("events", "")
    if not named:
        yield Missing("Which file holds the events of the same people?", "option-events")
    elif not (workspace.folder / named).is_file():
        yield Missing(f"The file {named!r} does not exist.", "option-events")
    else:
        names = event_columns(workspace.folder / named)
        label = publication.options.get("label") or reading_default(kind, "label")
        if names and label not in names:
            yield Missing(f"Which column of {named} is the label?", "option-label")


def event_columns(path: Path) -> tuple[str, ...]:
    """The columns of a second file; none if its lines have none, or it cannot be read, which the command says."""
    with suppress(TacitaError):
        file_format = format_ending(path, *LISTS)
        if file_format is not None and file_format.is_long:
            return tuple(name for name, _ in rows_of(file_format).header(path))
    return ()
