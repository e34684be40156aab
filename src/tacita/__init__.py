"""Tacita publishes high-dimensional personal data without giving anyone away.

Names are loaded when they are first used, so that `import tacita` and `tacita --help` cost nothing. Each kind of data registers
its own public names; those of the core stand here. What a type checker sees is generated into `__init__.pyi` and checked.
"""

from importlib import import_module

_CORE = {
    "AddRemoveRecord": "tacita.privacy.guarantee",
    "ApproxDP": "tacita.privacy.budget",
    "AutoTime": "tacita.io",
    "Engine": "tacita.io",
    "EpochTime": "tacita.io",
    "EpochUnit": "tacita.io",
    "FileFormat": "tacita.io",
    "IsoTime": "tacita.io",
    "Ledger": "tacita.privacy.ledger",
    "LongColumns": "tacita.io",
    "PatternTime": "tacita.io",
    "PerPerson": "tacita.public.inputs",
    "PublicInputs": "tacita.public.inputs",
    "PureDP": "tacita.privacy.budget",
    "ReadOptions": "tacita.io",
    "Release": "tacita.privacy.release",
    "TacitaError": "tacita.errors",
    "Taxonomy": "tacita.public.taxonomy",
    "TextDialect": "tacita.io",
    "TimeGrid": "tacita.public.time_grid",
    "Universe": "tacita.public.universe",
    "audit": "tacita.audit",
    "choose_method": "tacita.kinds.choosing",
    "declared_universe": "tacita.io",
    "evaluate": "tacita.front",
    "explain": "tacita.front",
    "forecast": "tacita.forecasts.sequences",
    "inspect": "tacita.inspecting",
    "observed_labels": "tacita.io",
    "open_release": "tacita.opening",
    "publish": "tacita.front",
    "report": "tacita.front",
    "utility": "tacita.utility",
    "verify": "tacita.opening",
}


def _homes() -> dict[str, str]:
    """Every public name, and the module that it is in."""
    from tacita.kinds import kinds  # noqa: PLC0415 - not paid for by `import tacita`

    rooms = {kind.name: kind.reader.partition(":")[0] for kind in kinds().values() if kind.reader is not None}
    return _CORE | rooms | {name: home for kind in kinds().values() for name, home in kind.names.items()}


def __getattr__(name: str) -> object:
    """Load a public name from its home; a package is its own."""
    if name == "__all__":
        return __dir__()
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - not paid for by `import tacita`

        return version("tacita")
    home = _CORE.get(name) or (None if name.startswith("_") else _homes().get(name))
    if home is None:
        message = f"module 'tacita' has no attribute {name!r}"
        raise AttributeError(message)
    module = import_module(home)
    return module if home == f"tacita.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(_homes())
