"""Reading and writing files and data frames, as columns of codes."""

from tacita.registered import loaded_when_used

_HOMES = {
    "tacita.formats": ("Compression", "FileFormat", "StoredFormat", "format_of"),
    "tacita.io.edge_lists": ("EdgeColumns", "observed_vertices", "read_edges", "write_edges"),
    "tacita.io.formats": ("STANDARD_INPUT",),
    "tacita.io.frames": ("Framed", "Source"),
    "tacita.io.long_rows": ("event_rows", "long_frame", "long_frames", "read_long", "write_long"),
    "tacita.io.misfits": ("Misfits",),
    "tacita.io.options": ("Engine", "LongColumns", "ReadOptions", "TextDialect"),
    "tacita.io.reading": (
        "ReadLists",
        "dataset_name",
        "observed_labels",
        "read_lists",
        "require_labels",
        "writable_format",
        "write_lists",
        "write_named",
    ),
    "tacita.io.release_files": (
        "Counted",
        "Drawn",
        "NoisyCounts",
        "ReleasedLists",
        "intact_file",
        "named_file",
        "outlines_differ",
        "read_manifest",
        "read_released",
        "release_universe",
        "released_cells",
        "released_counts",
        "require_kind",
        "write_outlines",
        "write_universe",
    ),
    "tacita.io.lines": (
        "declared_universe",
        "read_dat",
        "read_seq",
        "read_wide",
        "require_seq_labels",
        "write_dat",
        "write_seq",
        "write_wide",
    ),
    "tacita.io.typed_files": ("sheet_rows",),
    "tacita.io.times": ("AutoTime", "EpochTime", "EpochUnit", "IsoTime", "PatternTime", "TimeFormat", "parse_time_format"),
}
"""The modules of the public names; type checkers read `__init__.pyi`, which is generated from this."""

__getattr__, __dir__ = loaded_when_used(__name__, _HOMES)
