"""The sizes of the data, as the papers' tables list them; a quick run makes them at full size too, since sizes are the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tacita.arrays.ragged import distinct
from tacita.simulate import CityWorld, FareWorld
from tacita_papers.reproduce.experiment import Row, Scale
from tacita_papers.reproduce.runners.sequences import available

__all__ = ["of_sequences", "of_sets", "of_trajectories"]


def _rows(data: str, figures: dict[str, float]) -> Iterator[Row]:
    for name, value in figures.items():
        yield Row(data=data, series=name, x=name, value=float(value), panel="statistics")


def of_sequences(scale: Scale, /, *, data: Sequence[str]) -> Iterator[Row]:
    """Records, labels and lengths of sequences."""
    for name, found in available(data, replace(scale, quick=False)):
        lengths = found.records.sequences.lengths
        yield from _rows(
            name,
            {
                "records": len(lengths),
                "labels": len(found.records.universe),
                "max length": int(lengths.max()),
                "mean length": float(lengths.mean()),
            },
        )


def of_sets(scale: Scale, /, *, data: Sequence[str]) -> Iterator[Row]:
    """The same for the sets of their labels."""
    for name, found in available(data, replace(scale, quick=False)):
        symbols = len(found.records.universe)
        lengths = distinct(found.records.sequences, symbols=symbols).lengths
        yield from _rows(
            name,
            {"records": len(lengths), "labels": symbols, "max size": int(lengths.max()), "mean size": float(lengths.mean())},
        )


def of_trajectories(_: Scale, /) -> Iterator[Row]:
    """Records, dimensions, size and sensitive values of the two worlds of trajectories."""
    worlds: dict[str, CityWorld | FareWorld] = {
        "City80K": CityWorld.city80k(),
        "STM460K": FareWorld.stm460k(),
    }
    for name, world in worlds.items():
        figures = world.statistics()
        kept = ("records", "dimensions", "sensitive attribute values", "attribute values")
        yield from _rows(
            name,
            {figure: figures[figure] for figure in kept} | {"kilobytes": figures["records"] * figures["bytes per record"] / 1e3},
        )
