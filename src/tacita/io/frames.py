"""Data frames in and out: reading any frame that speaks Arrow, and turning releases into frames.

A frame of any library (Polars, pandas, PyArrow, narwhals, a DuckDB relation, anything with the Arrow PyCapsule interface) and the
cursor of an ADBC driver are read as long rows, like a Parquet file. Polars does the conversion; pandas and PyArrow are needed
only if they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from tacita.errors import InputError, ParameterError, TacitaError
from tacita.formats import Holds, format_ending
from tacita.io.formats import table_of
from tacita.io.values import text_of_object
from tacita.pictures import Picture, notebook
from tacita.pictures.picture import html_facts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EVENT_OPTIONS", "Framed", "Source", "any_frame", "is_frame", "polars_frame"]

Source: TypeAlias = Any
"""A path, `-` for standard input, or a data frame of any library."""

EVENT_OPTIONS = "--person, --label, --time"
"""What names the columns of events."""

SHOWN = 2
"""How many pictures a notebook shows of published data; `pictures` gives all of them."""


def is_frame(source: object) -> bool:
    """Whether a source is a data frame rather than a file name."""
    return not isinstance(source, str | Path)


def polars_frame(source: Source, names: Sequence[str], *, mapped_by: str = "") -> pl.DataFrame:
    """The columns that are to be read, from a frame of any library; `mapped_by` says which options name them."""
    frame = any_frame(source)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        message = (
            f"the data frame must have the columns {', '.join(names)}, it has {', '.join(frame.columns)}; "
            f"give the names that it uses{mapped_by and f' ({mapped_by})'}"
        )
        raise InputError(message)
    return frame.select(names)


def any_frame(source: Source) -> pl.DataFrame:
    """All columns of a frame of any library."""
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if hasattr(source, "to_native") and hasattr(source, "implementation"):  # narwhals
        return any_frame(source.to_native())
    for convert in (_from_pandas, _from_capsule, _from_cursor, _from_relation, _from_interchange):
        try:
            found = convert(source)
        except TacitaError:
            raise
        except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - each library has its own, and may quote values
            message = f"the data frame cannot be read ({type(error).__name__}): each column must hold values of one type"
            raise InputError(message) from None
        if found is not None:
            return found
    message = (
        "records are read from a path, or from a data frame or cursor that speaks Arrow (Polars, pandas, PyArrow, DuckDB, ADBC), "
        f"got {type(source).__name__}"
    )
    raise ParameterError(message)


def _from_capsule(source: Source) -> pl.DataFrame | None:
    if not hasattr(source, "__arrow_c_stream__"):
        return None
    is_relation = type(source).__module__.startswith("duckdb")
    return pl.DataFrame(_Stream(source) if is_relation else source)


class _Stream:
    """The rows of a relation. Polars remembers the types that it has met, and DuckDB tells of types that outlive it as leaks."""

    def __init__(self, source: Source) -> None:
        """Only the rows are taken from `source`."""
        self._source = source

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """What the relation gives."""
        found: object = self._source.__arrow_c_stream__(requested_schema)
        return found


def _from_cursor(source: Source) -> pl.DataFrame | None:
    """A cursor of a database (ADBC, or DuckDB's connection) that has executed a query and gives its result as Arrow."""
    if not hasattr(source, "fetch_arrow") or not hasattr(source, "execute"):
        return None
    try:
        return pl.DataFrame(source.fetch_arrow())
    except Exception as error:  # noqa: BLE001 - each driver has errors of its own, and may quote values
        message = f"the result of the query cannot be fetched ({type(error).__name__}); execute a query that selects rows first"
        raise InputError(message) from None


def _from_relation(source: Source) -> pl.DataFrame | None:
    """A relation of a DuckDB version that predates the interface."""
    found = source.pl() if hasattr(source, "pl") and callable(source.pl) else None
    return found if isinstance(found, pl.DataFrame) else None


def _from_pandas(source: Source) -> pl.DataFrame | None:
    """A pandas frame column by column: numbers and moments of NumPy as they are, and texts for columns of objects.

    Whether PyArrow is there changes nothing, and a column of objects may hold values of several types.
    """
    if not type(source).__module__.startswith("pandas") or not hasattr(source, "columns"):
        return None
    columns: dict[str, pl.Series] = {}
    for place, name in enumerate(source.columns):
        column = source.iloc[:, place]
        if str(name) in columns:
            message = f"the columns of the data frame must have different names, got {str(name)!r} twice"
            raise InputError(message)
        columns[str(name)] = _pandas_column(str(name), column)
    return pl.DataFrame(columns)


def _pandas_column(name: str, column: Any) -> pl.Series:  # noqa: ANN401 - of pandas, which is no dependency
    kind = column.dtype
    if getattr(kind, "kind", "O") in "iufbM" and type(kind).__module__.startswith("numpy"):
        return pl.Series(name, column.to_numpy(), nan_to_null=True)
    if type(kind).__name__ == "CategoricalDtype":
        texts = pl.Series([text_of_object(value) for value in kind.categories], dtype=pl.String)
        codes = pl.Series(column.cat.codes.to_numpy()).cast(pl.Int64)
        return texts.gather(codes.set(codes < 0, None)).alias(name)
    if type(kind).__name__ == "DatetimeTZDtype":
        return pl.Series(name, column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()).dt.replace_time_zone("UTC")
    if getattr(kind, "kind", "") != "O" or not type(kind).__module__.startswith("numpy"):
        try:
            return pl.Series(name, column.array.__arrow_array__())  # of one type, with missing values
        except (AttributeError, ImportError, TypeError):
            column = column.astype(object).where(column.notna(), None)
    return pl.Series(name, [text_of_object(value) for value in column.tolist()], dtype=pl.String)


def _from_interchange(source: Source) -> pl.DataFrame | None:
    return pl.from_dataframe(source) if hasattr(source, "__dataframe__") else None


class Framed:
    """Conversions of published data to data frames; each kind defines its rows in `frame`."""

    def frame(self) -> pl.DataFrame:
        """The published data as rows."""
        raise NotImplementedError

    def __len__(self) -> int:
        """How much was published."""
        raise NotImplementedError

    def fields(self, path: Path) -> dict[str, str]:
        """The columns of the data file and their types as schema.org calls them; none if its format does not tell."""
        found = format_ending(path, Holds.EVENTS, Holds.EDGES)
        if found is None or not path.name.endswith(found.endings):  # compressed
            return {}
        try:
            schema = table_of(found).fields(path)
        except pl.exceptions.PolarsError:
            return {}
        return {name: _schema_org(kind) for name, kind in schema.items()}

    def pictures(self) -> list[Picture]:
        """Pictures of the published data alone; none unless a kind draws some."""
        return []

    def _repr_html_(self) -> str:
        """The first pictures, for a notebook."""
        return notebook(self.pictures()[:SHOWN], before=html_facts(type(self).__name__, [("published", f"{len(self):,}")]))

    def to_polars(self) -> pl.DataFrame:
        """The published data as a Polars frame."""
        return self.frame()

    def to_pandas(self) -> pd.DataFrame:
        """The published data as a pandas frame; pandas must be installed."""
        try:
            import pandas as pd  # noqa: PLC0415 - only for those who ask for it
        except ImportError:
            message = "a pandas frame needs pandas: pip install pandas"
            raise ParameterError(message) from None
        columns = {series.name: pd.Series(series.to_list(), dtype=_pandas_type(series)) for series in self.frame()}
        return pd.DataFrame(columns)

    def to_arrow(self) -> Any:  # noqa: ANN401 - PyArrow is not a dependency
        """The published data as a PyArrow table; PyArrow must be installed."""
        try:
            return self.frame().to_arrow()
        except ImportError:
            message = "an Arrow table needs PyArrow: pip install pyarrow; without it, __arrow_c_stream__ still works"
            raise ParameterError(message) from None

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule interface, by which any library that speaks Arrow takes the data."""
        return self.frame().__arrow_c_stream__(requested_schema)


def _pandas_type(values: pl.Series) -> Any:  # noqa: ANN401 - a name, or none for pandas to choose
    """A type that pandas would not choose: dates are moments, and a missing value does not make floats of whole numbers."""
    if values.dtype == pl.Date or (isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone is None):
        return "datetime64[us]"
    if values.null_count() and values.dtype.is_integer():
        return "Int64"
    return "boolean" if values.null_count() and values.dtype == pl.Boolean else None


def _schema_org(kind: pl.DataType) -> str:
    """The name that schema.org has for a column's type."""
    if kind.is_integer():
        return "sc:Integer"
    if kind.is_float():
        return "sc:Float"
    if kind.is_temporal():
        return "sc:DateTime"
    return "sc:Boolean" if kind == pl.Boolean else "sc:Text"
