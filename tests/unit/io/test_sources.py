import gzip
import io

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError, ParameterError
from tacita.formats import LISTS, formats_of
from tacita.io import FileFormat, Misfits, ReadOptions, TextDialect, declared_universe, format_of, observed_labels, read_lists
from tacita.io.sources import input_text, without_comments
from tacita.public.universe import Universe

UNIVERSE = Universe(["a", "b", "\u00e9t\u00e9"])
ROWS = "id,label,time\n1,b,2\n1,\u00e9t\u00e9,3\n1,a,1\n"


def zst(data):
    """As another program packs it, not by the library that unpacks."""
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


def lists(path, **options):
    return read_lists(path, universe=UNIVERSE, options=ReadOptions(**options)).lists.to_lists()


@pytest.mark.parametrize("ending", ["csv.gz", "csv.zst", "csv"])
@pytest.mark.parametrize("pack", [gzip.compress, zst, bytes])
def test_what_is_packed_is_told_by_its_first_bytes(tmp_path, ending, pack):
    path = tmp_path / f"taps.{ending}"
    path.write_bytes(pack(ROWS.encode()))
    if pack is bytes and ending != "csv":
        with pytest.raises(InputError, match=r"is not a complete (gzip|zst) file"):
            lists(path)
    else:
        assert lists(path) == [[0, 1, 2]]


@pytest.mark.parametrize(("ending", "pack", "name"), [("csv.gz", gzip.compress, "gzip"), ("csv.zst", zst, "zst")])
def test_a_packed_file_that_was_cut_off_or_continued_is_refused(tmp_path, ending, pack, name):
    packed = pack(("id,label,time\n" + "".join(f"{place},a,{place * 7919 % 1000}\n" for place in range(5000))).encode())
    path = tmp_path / f"taps.{ending}"
    for kept in (5, 20, len(packed) // 2, len(packed) - 9, len(packed) - 1):
        path.write_bytes(packed[:kept])
        with pytest.raises(InputError, match=f"is not a complete {name} file"):
            lists(path)
    path.write_bytes(packed + b"more")
    with pytest.raises(InputError, match=f"is not a complete {name} file"):
        lists(path)


def test_a_damaged_gzip_file_is_refused(tmp_path):
    packed = gzip.compress(("id,label,time\n" + "".join(f"{place},a,{place * 7919 % 1000}\n" for place in range(5000))).encode())
    path = tmp_path / "taps.csv.gz"
    for place in range(len(packed) // 3, len(packed) // 3 + 40):
        path.write_bytes(packed[:place] + bytes([packed[place] ^ 0x55]) + packed[place + 1 :])
        with pytest.raises(InputError, match="is not a complete gzip file"):
            lists(path)


@given(st.text(st.characters(exclude_characters="\0\ufffd", exclude_categories=["Cs"]), min_size=1))
def test_a_text_is_the_same_after_packing(tmp_path_factory, text):
    data = ("x" + text).encode()
    path = tmp_path_factory.mktemp("packed") / "text.dat"
    packed = zst(data)
    for form in (data, gzip.compress(data), packed):
        path.write_bytes(form)
        assert input_text(path, Misfits()).rstrip(b"\r\n") == data.rstrip(b"\r\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "UTF8"])
def test_a_file_is_read_in_the_encoding_that_is_named(tmp_path, encoding):
    path = tmp_path / "taps.csv.gz"
    path.write_bytes(gzip.compress(ROWS.encode(encoding)))
    assert lists(path, dialect=TextDialect(encoding=encoding)) == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("written", "named"), [("latin-1", "utf-8"), ("utf-16", "utf-8"), ("utf-8", "ascii"), ("utf-8", "utf-32")]
)
def test_in_another_encoding_lines_that_are_no_text_are_left_out(tmp_path, written, named):
    path = tmp_path / "taps.csv"
    path.write_bytes(ROWS.encode(written))
    if written == "utf-16" or named == "utf-32":
        with pytest.raises(InputError, match=r"header of .* must be text"):
            lists(path, dialect=TextDialect(encoding=named))
    else:  # the header and two of three rows are text in both
        assert lists(path, dialect=TextDialect(encoding=named)) == [[0, 1]]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "shift_jis", "iso2022_jp", "gb18030"])
@pytest.mark.parametrize("bad", [b"\xe9t\xe9", b"\xff", b"\x81", b"\x1b$B", b"\0"])
def test_a_line_that_is_no_text_is_left_out_alone(tmp_path, encoding, bad):
    path = tmp_path / "taps.csv"
    path.write_bytes(b"id,label,time\n1,a,1\n1,b" + bad + b",2\n1,b,3\n")
    found = read_lists(path, universe=UNIVERSE, options=ReadOptions(dialect=TextDialect(encoding=encoding)))
    assert found.lists.to_lists() == [[0, 1]]
    assert len(found.misfits) + found.dropped_labels == 1


def test_a_mark_at_the_beginning_is_no_part_of_the_header(tmp_path):
    path = tmp_path / "taps.csv"
    path.write_bytes(b"\xef\xbb\xbf" + ROWS.encode())
    assert lists(path) == [[0, 1, 2]]


@pytest.mark.parametrize("name", ["taps.lines", "taps.dat"])
def test_a_line_with_a_nul_is_left_out_alone(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"a\nsec\0ret\nb\n")
    found = read_lists(path, universe=UNIVERSE)
    assert (found.lists.to_lists(), found.dropped_labels, len(found.misfits)) == ([[0], [1]], 0, 1)


@pytest.mark.parametrize("name", ["taps.csv", "taps.jsonl", "taps.lines", "taps.dat", "taps.seq", "taps.parquet"])
def test_a_missing_an_empty_and_a_blank_file_are_refused(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(InputError, match="does not exist or is not a file"):
        lists(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="is empty"):
        lists(path)
    path.write_bytes(b"\n \n\n")
    with pytest.raises(InputError, match=r"is empty|cannot be read as parquet"):
        lists(path)


@pytest.mark.parametrize("file_format", formats_of(*LISTS))
def test_a_folder_is_refused_in_every_format(tmp_path, file_format):
    with pytest.raises(InputError, match="does not exist or is not a file"):
        lists(tmp_path, file_format=file_format)


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "taps.csv"
    path.write_text(ROWS, encoding="utf-8")
    monkeypatch.setattr("os.access", lambda *_: False)  # whoever runs the tests may be allowed everything
    with pytest.raises(InputError, match="cannot be read: permission denied"):
        lists(path)


def test_comments_are_left_out_and_lines_keep_their_numbers():
    assert without_comments(b"# x\na # y\n#\n\nb\n#z", "#") == b"\na # y\n\n\nb\n"
    assert without_comments(b"# x\n", None) == b"# x\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zst])
def test_standard_input_is_read_if_its_format_is_named(monkeypatch, pack):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(pack(ROWS.encode()))))
    assert lists("-", file_format=FileFormat.CSV) == [[0, 1, 2]]


def test_parquet_comes_through_standard_input_too(monkeypatch):
    target = io.BytesIO()
    pl.DataFrame({"id": [1, 1], "label": ["b", "a"], "time": [2, 1]}).write_parquet(target)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(target.getvalue())))
    assert lists("-", file_format=FileFormat.PARQUET) == [[0, 1]]


def test_standard_input_without_a_format_or_as_a_universe_is_refused(monkeypatch):
    with pytest.raises(ParameterError, match="its format must be named"):
        lists("-")
    with pytest.raises(ParameterError, match="read only once"):
        declared_universe("-")
    with pytest.raises(ParameterError, match="read only once"):
        observed_labels("-", options=ReadOptions(file_format=FileFormat.CSV))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="standard input is empty"):
        lists("-", file_format=FileFormat.CSV)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A.CSV.GZ", FileFormat.CSV),
        ("a.tsv.zst", FileFormat.CSV),
        ("a.ndjson", FileFormat.JSONL),
        ("a.jsonl.zst", FileFormat.JSONL),
        ("a.lines.gz", FileFormat.WIDE),
        ("retail.dat.gz", FileFormat.DAT),
        ("b.seq", FileFormat.SEQ),
        ("c.parquet", FileFormat.PARQUET),
    ],
)
def test_a_format_is_told_by_the_ending(name, expected):
    assert format_of(name) is expected


def test_a_text_file_could_be_anything_and_is_not_guessed():
    with pytest.raises(InputError, match="must be clear from its ending"):
        format_of("graph.txt")


@pytest.mark.parametrize("packing", ["gz", "zst"])
@pytest.mark.parametrize("engine", ["local", "blocks", "the driver of Spark", "inspect"])
def test_a_compressed_file_that_expands_beyond_the_limit_is_refused_on_every_engine(packing, engine, tmp_path, monkeypatch):
    from tacita.inspecting import inspect
    from tacita.io import sources
    from tacita.sets.records import open_baskets

    text = b"id,label\n" + b"1,A\n" * 25_000
    file = tmp_path / f"bomb.csv.{packing}"
    file.write_bytes(gzip.compress(text) if packing == "gz" else zst(text))
    read = {
        "the driver of Spark": lambda: sources.require_expandable(file),
        "inspect": lambda: inspect(file),
    }.get(engine, lambda: open_baskets(file, universe=Universe("A"), options=ReadOptions(engine=engine)))
    read()
    monkeypatch.setattr(sources, "LARGEST_EXPANDED", len(text) - 1)
    with pytest.raises(InputError, match=r"at most 100,008 bytes once it is decompressed, and holds more; decompress it"):
        read()
