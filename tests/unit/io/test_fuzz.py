"""Whatever a file holds, a reader gives a result or refuses it in a sentence without a value of a record."""

import gzip
import io
import json
import random

import polars as pl
import pytest

from tacita.errors import InputError
from tacita.io import FileFormat, LongColumns, ReadOptions, read_edges, read_lists
from tacita.public.inputs import PerPerson
from tacita.public.universe import Universe

SECRET = "zzsecretzz"
UNIVERSE = Universe(["a", "b", "17", "c d"])
NASTY = [
    *(sign.encode() for sign in "\",'\n\r\0\t ;\\{}[]:%#-+.0"),
    *(
        b"\xff",
        b"\xc3",
        b"\xe4\xb8",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        b"\r\n",
        b"\n\n",
        b'""',
        b'"""',
    ),
    *(b"9" * 40, b"9" * 400, b"1e999", b"NaN", b"inf", b"-0", b"1.5", b"true", b"null", b"\\ud800", b"\\u0000", b"x" * 200_000),
    *(b"2024-02-30", b"2024-01-01T10:00:00+02:00", b"10:00", SECRET.encode(), SECRET.encode() + b"\n", b"," + SECRET.encode()),
]
TIMES = [
    lambda rng: str(rng.randrange(1000)),
    lambda rng: f"{rng.random():.3f}",
    lambda rng: f"2024-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
    lambda rng: f"2024-01-01T{rng.randrange(24):02d}:00:00{rng.choice(['', 'Z', '+02:00', '.5'])}",
]


def label(rng):
    return rng.choice([*UNIVERSE.labels, SECRET, SECRET + "\u00e9"])


def long_rows(rng, lines):
    time = rng.choice(TIMES)
    return [(f"{SECRET}{rng.randrange(9)}", label(rng), time(rng), rng.choice("xyz")) for _ in range(lines)]


def csv_text(rng, lines):
    extra = rng.choice([0, 1])
    rows = [("id", "label", "time", "trip"), *long_rows(rng, lines)]
    return "".join(",".join([*row, "more"][: 4 + extra]) + "\n" for row in rows).encode()


def jsonl_text(rng, lines):
    number = rng.choice([lambda text: text, lambda text: int(text) if text.isdigit() else text])
    return "".join(
        json.dumps(dict(zip(("id", "label", "time", "trip"), map(number, row), strict=True))) + "\n"
        for row in long_rows(rng, lines)
    ).encode()


def parquet_bytes(rng, lines):
    target = io.BytesIO()
    pl.DataFrame(long_rows(rng, lines), schema=["id", "label", "time", "trip"], orient="row").write_parquet(target)
    return target.getvalue()


def wide_text(rng, lines):
    return "".join(",".join(label(rng) for _ in range(rng.randrange(1, 5))) + "\n" for _ in range(lines)).encode()


def dat_text(rng, lines):
    return wide_text(rng, lines).replace(b",", b" ")


def seq_text(rng, lines):
    rows = "".join(" ".join(str(rng.randrange(6)) for _ in range(rng.randrange(1, 5))) + " \n" for _ in range(lines))
    return f"% names\n\na b {SECRET}\n\n% sequences\n\n{rows}".encode()


def edge_text(rng, lines):
    return b"# from to\n" + "".join(f"{rng.choice('ab')}\t{label(rng).replace(' ', '')}\n" for _ in range(lines)).encode()


def lists_reader(file_format, *, time="time"):
    def read(path, rng):
        capped = file_format.is_long and rng.random() < 0.3
        options = ReadOptions(
            file_format=file_format,
            columns=LongColumns(record="trip" if capped else None, time=time),
            per_person=PerPerson.cap(2) if capped else PerPerson.JOIN,
        )
        return read_lists(path, universe=UNIVERSE, options=options)

    return read


READERS = {
    "csv": (csv_text, lists_reader(FileFormat.CSV)),
    "jsonl": (jsonl_text, lists_reader(FileFormat.JSONL)),
    "parquet": (parquet_bytes, lists_reader(FileFormat.PARQUET)),
    "csv without times": (csv_text, lists_reader(FileFormat.CSV, time=None)),
    "jsonl without times": (jsonl_text, lists_reader(FileFormat.JSONL, time=None)),
    "wide": (wide_text, lists_reader(FileFormat.WIDE)),
    "dat": (dat_text, lists_reader(FileFormat.DAT)),
    "seq": (seq_text, lists_reader(FileFormat.SEQ)),
    "edges": (edge_text, lambda path, _: read_edges(path, vertices=UNIVERSE)),
}


def spoilt(rng, data):
    for _ in range(rng.randrange(4)):
        place = rng.randrange(len(data) + 1)
        way = rng.randrange(5)
        if way == 0:
            data = data[:place] + rng.choice(NASTY) + data[place:]
        elif way == 1:
            data = data[:place] + rng.choice(NASTY) + data[place + 1 :]
        elif way == 2:
            data = data[:place] + data[place + rng.randrange(20) :]
        elif way == 3:
            data = data[:place] + data[place : place + rng.randrange(40)] * 2 + data[place:]
        else:
            data = data[:place] if rng.random() < 0.2 else data[:place] + rng.randbytes(rng.randrange(9)) + data[place:]
    return data


def fuzz(folder, name, *, files, lines, seed):
    """Read spoilt files; how many were read and how many refused."""
    rng = random.Random(seed)
    make, read = READERS[name]
    path, outcomes = folder / "input", {True: 0, False: 0}
    for _ in range(files):
        data = spoilt(rng, make(rng, rng.randrange(1, 2 * lines)))
        if rng.random() < 0.1:
            data = spoilt(rng, gzip.compress(data, 1))
        path.write_bytes(data)
        try:
            read(path, rng)
            outcomes[True] += 1
        except InputError as error:
            outcomes[False] += 1
            refusal = error
        else:
            continue
        assert SECRET not in str(refusal)
        assert "\n" not in str(refusal)
        assert refusal.__cause__ is None
        assert refusal.__suppress_context__ or refusal.__context__ is None
    return outcomes


@pytest.mark.parametrize("name", READERS)
def test_a_few_thousand_spoilt_lines_are_read_or_refused(tmp_path, name, capfd):
    outcomes = fuzz(tmp_path, name, files=150, lines=25, seed=1)
    assert outcomes[True] > 10
    assert SECRET not in capfd.readouterr().err


@pytest.mark.slow  # about a minute
@pytest.mark.parametrize("name", READERS)
def test_a_million_spoilt_lines_are_read_or_refused(tmp_path, name, capfd):
    outcomes = fuzz(tmp_path, name, files=4000, lines=250, seed=2)
    assert outcomes[True] > 200
    assert SECRET not in capfd.readouterr().err
