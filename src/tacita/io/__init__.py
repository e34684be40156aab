"""Reading and writing files and data frames, as columns of codes."""

from tacita.formats import Compression, FileFormat, StoredFormat, format_of
from tacita.io.edge_lists import EdgeColumns, observed_vertices, read_edges, write_edges
from tacita.io.formats import STANDARD_INPUT
from tacita.io.frames import Framed, Source
from tacita.io.long_rows import event_rows, long_frame, long_frames, read_long, write_long
from tacita.io.misfits import Misfits
from tacita.io.options import Engine, LongColumns, ReadOptions, TextDialect
from tacita.io.reading import (
    ReadLists,
    dataset_name,
    observed_labels,
    read_lists,
    require_labels,
    writable_format,
    write_lists,
    write_named,
)
from tacita.io.release_files import (
    Counted,
    Drawn,
    NoisyCounts,
    ReleasedLists,
    intact_file,
    named_file,
    read_manifest,
    read_released,
    release_universe,
    released_counts,
    require_kind,
    write_universe,
)
from tacita.io.seq_lines import declared_universe, read_seq, require_seq_labels, write_seq
from tacita.io.sheets import sheet_rows
from tacita.io.times import AutoTime, EpochTime, EpochUnit, IsoTime, PatternTime, TimeFormat, parse_time_format
from tacita.io.wide_lines import read_dat, read_wide, write_dat, write_wide

__all__ = [
    "STANDARD_INPUT",
    "AutoTime",
    "Compression",
    "Counted",
    "Drawn",
    "EdgeColumns",
    "Engine",
    "EpochTime",
    "EpochUnit",
    "FileFormat",
    "Framed",
    "IsoTime",
    "LongColumns",
    "Misfits",
    "NoisyCounts",
    "PatternTime",
    "ReadLists",
    "ReadOptions",
    "ReleasedLists",
    "Source",
    "StoredFormat",
    "TextDialect",
    "TimeFormat",
    "dataset_name",
    "declared_universe",
    "event_rows",
    "format_of",
    "intact_file",
    "long_frame",
    "long_frames",
    "named_file",
    "observed_labels",
    "observed_vertices",
    "parse_time_format",
    "read_dat",
    "read_edges",
    "read_lists",
    "read_long",
    "read_manifest",
    "read_released",
    "read_seq",
    "read_wide",
    "release_universe",
    "released_counts",
    "require_kind",
    "require_labels",
    "require_seq_labels",
    "sheet_rows",
    "writable_format",
    "write_dat",
    "write_edges",
    "write_lists",
    "write_long",
    "write_named",
    "write_seq",
    "write_universe",
    "write_wide",
]
