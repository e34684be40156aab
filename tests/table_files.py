"""A small typed table in a file, with misfits, missing values and persons of several rows; for the tests of engines."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from tacita.io import Engine
from tacita.public.inputs import PerPerson
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.tables import Categorical, Moment, Numeric, Schema, Sensitive, TableReading, open_table
from tacita.testing import seeded_ledger

TYPED = Schema(
    quasi=(
        Categorical(name="sex at birth", taxonomy=Taxonomy.from_edges([("f", "any"), ("m", "any")]), missing=True),
        Numeric(name="kg.net", low="0", high="99.5", step="0.5", missing=True),
        Moment(name="geb. am", first=date(2000, 1, 1), last=date(2003, 12, 31)),
    ),
    sensitive=Sensitive(name="illness", universe=Universe(["flu", "cold", "none"])),
)

WHOLE = replace(TYPED, quasi=tuple(replace(column, missing=False) for column in TYPED.quasi))
"""The same for methods that take no missing values."""


def typed_rows(seed: int, rows: int = 400) -> pl.DataFrame:
    """Rows as texts; some do not fit, and some persons have several."""
    chance = random.Random(seed)
    drawn = [
        {
            "who": chance.choice([f"p{chance.randrange(rows // 2)}", str(chance.randrange(rows // 2))]),
            "sex at birth": chance.choice(["f", "m", "m", "", "x"]),
            "kg.net": chance.choice(["", "200", f"{chance.randrange(90)}.5", f"{chance.randrange(40, 60)}"]),
            "geb. am": f"200{chance.randrange(5)}-0{chance.randrange(1, 10)}-1{chance.randrange(9)}",
            "illness": chance.choice(["flu", "none", "none", "cold", "?"]),
        }
        for _ in range(rows)
    ]
    return pl.DataFrame(drawn)


def typed_file(path: Path, frame: pl.DataFrame) -> Path:
    """The rows in a file of the format that its ending names."""
    {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[path.suffix](path)
    return path


def opened_typed(source: Any, engine: Engine, cap: int | None, *, schema: Schema = TYPED) -> Any:
    """The table on an engine; without a cap, nobody says whose row is whose."""
    person = {} if cap is None else {"person": "who", "per_person": PerPerson.cap(cap)}
    return open_table(source, schema=schema, options=TableReading(engine=engine, **person), name="typed")


def released_rows(method: Any, records: Any, budget: Any) -> pl.DataFrame:
    """The rows that are published with a fixed source of noise."""
    return method.publish(records, budget=budget, ledger=seeded_ledger(3)).to_polars()
