"""Tacita publishes high-dimensional personal data without giving anyone away.

A few verbs, the public inputs and the ledger stand here; everything else is in the room where it belongs: `ta.sequences.NGram`,
`ta.io.ReadOptions`. Names are loaded when they are first used, so that `import tacita` and `tacita --help` cost nothing. What a
type checker sees is generated into `__init__.pyi` and checked.
"""

from importlib import import_module

_HOMES = {
    "AddRemoveRecord": "tacita.privacy.guarantee",
    "ApproxDP": "tacita.privacy.budget",
    "CellGrid": "tacita.public.cells",
    "Ledger": "tacita.privacy.ledger",
    "PerPerson": "tacita.public.inputs",
    "PublicInputs": "tacita.public.inputs",
    "PureDP": "tacita.privacy.budget",
    "Release": "tacita.privacy.release",
    "TacitaError": "tacita.errors",
    "Taxonomy": "tacita.public.taxonomy",
    "TimeGrid": "tacita.public.time_grid",
    "Universe": "tacita.public.universe",
    "ZeroConcentrated": "tacita.privacy.budget",
    "audit": "tacita.auditing.product",
    "choose_method": "tacita.kinds.wanted",
    "evaluate": "tacita.front",
    "explain": "tacita.front",
    "forecast": "tacita.front",
    "inspect": "tacita.inspecting",
    "open_release": "tacita.opening",
    "publish": "tacita.front",
    "report": "tacita.front",
    "verify": "tacita.verifying",
}
"""The public names that are not rooms, and the module that each is in."""

_ROOMS = (
    *("sets", "sequences", "tables", "people", "networks", "streams", "trajectories", "personal"),
    *("attacks", "auditing", "io", "simulate", "testing", "utility"),
)
"""The rooms whose own names are public: one per kind of data, and what is around them."""


def __getattr__(name: str) -> object:
    """Load a public name from its home, or a room."""
    if name == "__all__":
        return __dir__()
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - not paid for by `import tacita`

        return version("tacita")
    if name in _ROOMS:
        return import_module(f"tacita.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    message = f"module 'tacita' has no attribute {name!r}"
    if not name.startswith("_") and (home := _room_of(name)) is not None:
        message += f"; it is in a room: ta.{home}.{name}"
    raise AttributeError(message)


def _room_of(name: str) -> str | None:
    """The room that has a name; for the message, so that somebody who forgot the room finds it."""
    return next((room for room in _ROOMS if name in getattr(import_module(f"tacita.{room}"), "__all__", ())), None)


def __dir__() -> list[str]:
    """The public names."""
    return sorted((*_HOMES, *_ROOMS))
