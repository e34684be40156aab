"""What columns may be for, and what kind of data the file may hold: guesses from names and from the form of values.

A guess is a proposal to the owner, never a decision: what a person is must be declared.
"""

from __future__ import annotations

from dataclasses import dataclass

from tacita.inspecting.columns import LABEL_WORDS, PERSON_WORDS, TIME_WORDS, SeenColumn, words_of
from tacita.inspecting.result import Candidate, ColumnType, Role
from tacita.inspecting.sources import LABELS

__all__ = ["Guess", "Roles", "guessed_kind", "guessed_roles"]

LATITUDE, LONGITUDE = frozenset({"lat", "latitude"}), frozenset({"lon", "lng", "long", "longitude"})
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("follower", "followee"),
    ("caller", "callee"),
    ("sender", "receiver"),
    ("u", "v"),
)
FEW = 10
"""With fewer rows than this, nobody may have a second one yet."""

MOST_OF_EVENTS = 5
"""Rows with more columns are events only if a name tells whose they are: one of the many columns of a table may be a date."""

SEQUENCES, SETS, TABLES, NETWORKS, TRAJECTORIES = "sequences", "sets", "tables", "networks", "trajectories"
"""The kinds that can be recognised, by the names that they are registered with."""

STREAMS = "streams"
"""The kind that looks like sequences, and must be named."""

_NAMED, _UNSURE = "by its name", "by the form of its values"


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The candidates of each column, and for each role its best columns, which are equally good."""

    candidates: dict[str, tuple[Candidate, ...]]
    best: dict[Role, tuple[str, ...]]
    named: frozenset[str]
    """Columns whose name suggests their first candidate."""

    def first(self, role: Role) -> str | None:
        """The column that is proposed."""
        return next(iter(self.best[role]), None)


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A kind, or None, and why."""

    kind: str | None
    because: str
    source: str | None = None
    target: str | None = None
    latitude: str | None = None
    longitude: str | None = None


def guessed_roles(columns: list[SeenColumn], rows: int) -> Roles:
    """Candidates of every role; a column is proposed for one of them at most."""
    scores: dict[Role, dict[str, int]] = {role: {} for role in Role}
    for column in columns:
        if column.name == LABELS and len(columns) == 1:
            continue  # lines of labels have no columns to choose from
        for role, score in _scores(column, min(rows, len(column.sample))).items():
            scores[role][column.name] = score
    most = max((column.distinct for column in columns if column.name in scores[Role.PERSON]), default=0)
    for column in columns:  # of columns that nothing else tells apart, people are more than labels
        if column.name in scores[Role.PERSON] and column.distinct == most and scores[Role.PERSON][column.name] == 1:
            scores[Role.PERSON][column.name] += 1
    candidates = {column.name: _candidates(column, scores) for column in columns}
    best: dict[Role, tuple[str, ...]] = {}
    taken: set[str] = set()
    for role in (Role.TIME, Role.PERSON, Role.LABEL):
        left = {name: score for name, score in scores[role].items() if name not in taken}
        top = max(left.values(), default=0)
        best[role] = tuple(name for name, score in left.items() if score == top)
        taken |= set(best[role][:1])
    named = frozenset(name for name, found in candidates.items() if found and found[0].why == _NAMED)
    return Roles(candidates=candidates, best=best, named=named)


def _scores(column: SeenColumn, rows: int) -> dict[Role, int]:
    """How well a column suits each role: 1 by its values, 3 and more by its name."""
    words = words_of(column.name)
    named: dict[Role, int] = {
        Role.PERSON: (3 * bool(words & (PERSON_WORDS - {"id", "name"})) + 2 * bool(words & {"id"})) * (not words & LABEL_WORDS),
        Role.LABEL: 3 * bool(words & LABEL_WORDS),
        Role.TIME: 3 * bool(words & TIME_WORDS) * (not words & LABEL_WORDS),
    }
    scores: dict[Role, int] = {}
    if column.type is ColumnType.TIME:
        scores[Role.TIME] = 4 + named[Role.TIME]
    elif column.type is ColumnType.WHOLE and named[Role.TIME]:
        scores[Role.TIME] = named[Role.TIME]
    if column.type in {ColumnType.CATEGORY, ColumnType.WHOLE} and not named[Role.TIME]:
        if named[Role.PERSON] or column.distinct > 2:
            scores[Role.PERSON] = 1 + named[Role.PERSON] - bool(named[Role.LABEL])
        if named[Role.LABEL] or not named[Role.PERSON]:
            repeats = column.distinct < rows
            scores[Role.LABEL] = named[Role.LABEL] + repeats + (column.type is ColumnType.CATEGORY)
    return {role: score for role, score in scores.items() if score > 0}


def _candidates(column: SeenColumn, scores: dict[Role, dict[str, int]]) -> tuple[Candidate, ...]:
    found = [(scores[role][column.name], role) for role in Role if column.name in scores[role]]
    words = {Role.PERSON: PERSON_WORDS, Role.LABEL: LABEL_WORDS, Role.TIME: TIME_WORDS}
    ordered = sorted(found, key=lambda pair: -pair[0])
    is_named = {role: bool(words_of(column.name) & words[role]) for role in Role}
    return tuple(Candidate(role=role, why=_NAMED if is_named[role] else _UNSURE) for _, role in ordered)


_OF_LINES = {
    "seq": Guess(kind=SEQUENCES, because="each line is a list of labels"),
    "wide": Guess(kind=SEQUENCES, because="each line is a list of labels"),
    "dat": Guess(kind=SETS, because="each line of a .dat file is usually a set of items"),
    "edges": Guess(kind=NETWORKS, because="each line has two vertices"),
}


def guessed_kind(columns: list[SeenColumn], roles: Roles, file_format: str) -> Guess:
    """The kind that the format, or else the columns, suggest."""
    if file_format in _OF_LINES:
        return _OF_LINES[file_format]
    found = _network(columns) or _points(columns, roles) or _lists(columns, roles)
    if found is not None:
        return found
    if not any(column.filled for column in columns):
        return Guess(kind=None, because="no row of it can be read")
    if len(columns) > 1:
        return Guess(kind=TABLES, because="every row seems to be a person of its own")
    because = "it has one column only; if another character divides its values, replace that by a comma"
    return Guess(kind=None, because=because)


def _network(columns: list[SeenColumn]) -> Guess | None:
    ends = _ends(columns)
    if ends is None:
        return None
    return Guess(kind=NETWORKS, because="two columns hold the ends of edges", source=ends[0], target=ends[1])


def _points(columns: list[SeenColumn], roles: Roles) -> Guess | None:
    """Sequences of cells, if people have points in time, and no column says where these are by a label."""
    latitude, longitude = (
        next((column.name for column in columns if words_of(column.name) & known), None) for known in (LATITUDE, LONGITUDE)
    )
    is_labelled = roles.first(Role.LABEL) in roles.named
    if not (roles.first(Role.PERSON) and roles.first(Role.TIME) and latitude and longitude) or is_labelled:
        return None
    because = "people have points in time with latitude and longitude"
    return Guess(kind=SEQUENCES, because=because, latitude=latitude, longitude=longitude)


def _lists(columns: list[SeenColumn], roles: Roles) -> Guess | None:
    """Sequences or sets, if people have several rows, each with a label."""
    person, label, time = (roles.first(role) for role in Role)
    if person is None or label is None or not (time or person in roles.named or len(columns) == 2):
        return None
    if person not in roles.named and len(columns) > MOST_OF_EVENTS:
        return None
    of_person = next(column for column in columns if column.name == person)
    is_named = {person, label, time} <= roles.named
    if of_person.distinct == len(of_person.sample) and not (is_named and of_person.rows < FEW):
        return None
    if time is not None:
        return Guess(kind=SEQUENCES, because="people have several rows, each with a label and a time")
    return Guess(kind=SETS, because="people have several rows, each with a label, and no column orders them")


def _ends(columns: list[SeenColumn]) -> tuple[str, str] | None:
    """The two columns of an edge: by their names, or because two columns are all there are and hold the same values."""
    names = {column.name.lower(): column.name for column in columns}
    for one, other in ENDS:
        if one in names and other in names:
            return names[one], names[other]
    if len(columns) != 2 or any(column.native is not None or not len(column.sample) for column in columns):
        return None
    first, second = (set(column.sample.unique().to_list()) for column in columns)
    return (columns[0].name, columns[1].name) if 2 * len(first & second) > max(len(first), len(second)) else None
