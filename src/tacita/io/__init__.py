"""Reading and writing files: what people have, as columns."""

from tacita.io.formats import FileFormat, format_of
from tacita.io.long_rows import LongColumns, read_long, write_long
from tacita.io.seq_lines import declared_universe, read_seq, require_seq_labels, write_seq

__all__ = [
    "FileFormat",
    "LongColumns",
    "declared_universe",
    "format_of",
    "read_long",
    "read_seq",
    "require_seq_labels",
    "write_long",
    "write_seq",
]
