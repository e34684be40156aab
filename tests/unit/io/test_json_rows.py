import json

import pytest

from tacita.errors import InputError
from tacita.io import FileFormat, LongColumns, ReadOptions, TextDialect, observed_labels, read_lists
from tacita.public.universe import Universe

UNIVERSE = Universe(["a", "b", "7", '\u00e9\n"x"'])
SECRET = "zzsecretzz"


def read(folder, *lines, **options):
    path = folder / "taps.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    found = read_lists(path, universe=UNIVERSE, options=ReadOptions(**options))
    return sorted(found.lists.to_lists()), found.dropped_labels


def event(person, label, time, **more):
    return {"id": person, "label": label, "time": time, **more}


def test_each_object_is_an_event_and_other_keys_are_ignored(tmp_path):
    lines = [event("p", "b", 5, more=[1, {"x": None}]), event("q", "a", 1), event("p", '\u00e9\n"x"', 2), event("p", "zz", 2)]
    assert read(tmp_path, *lines) == ([[0], [3, 1]], 1)


def test_empty_lines_are_skipped_and_keys_may_come_in_any_order(tmp_path):
    assert read(tmp_path, "", '{"time": 1, "label": "a", "id": 1}', "  ", '{"id": 1, "time": 0, "label": 7}')[0] == [[2, 0]]


def test_a_number_is_the_text_that_it_is_written_as(tmp_path):
    assert read(tmp_path, event(7, "a", 1), event("7", "b", 2), event("007", "b", 2))[0] == [[0, 1], [1]]
    assert read(tmp_path, event(2**64 + 1, "a", 1), event(2**64 + 2, "b", 2))[0] == [[0], [1]]


def test_times_may_be_numbers_or_texts(tmp_path):
    assert read(tmp_path, event(1, "b", "2024-01-02"), event(1, "a", "2024-01-01T10:00:00"))[0] == [[0, 1]]
    assert read(tmp_path, *[event(1, "b", 2)] * 200, event(1, "a", 1.5))[0] == [[0] + [1] * 200]


def test_columns_have_other_names_if_they_are_told(tmp_path):
    columns = LongColumns(person="card", label="st\u00f6p", time="t")
    assert read(tmp_path, {"card": 1, "st\u00f6p": "a", "t": 1}, columns=columns)[0] == [[0]]


def test_other_encodings_are_read(tmp_path):
    path = tmp_path / "taps.ndjson"
    path.write_bytes(json.dumps(event(1, '\u00e9\n"x"', 1), ensure_ascii=False).encode("utf-16"))
    options = ReadOptions(dialect=TextDialect(encoding="utf-16"))
    assert read_lists(path, universe=UNIVERSE, options=options).lists.to_lists() == [[3]]
    assert observed_labels(path, options=options) == ['\u00e9\n"x"']


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (f'{{"id": 1, "label": "{SECRET}"', "not a JSON object"),
        (f'["{SECRET}"]', "not a JSON object"),
        (SECRET, "not a JSON object"),
        (f'{{"id": 1}} "{SECRET}"', "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ('{"id": 1, "label": "a", "time": 1e999}', "not a JSON object"),
        ('{"id": 1, "label": "a", "time": ' + "9" * 50 + "}", ""),
        (event(1, SECRET, None), "'time': not a time"),
        ({"id": 1, "label": SECRET}, "'time': not a time"),
        (event(SECRET, "", 1), "'label': no value"),
        (event(1, "a", SECRET), "'time': not a time"),
        (r'{"id": "\ud800", "label": "a", "time": 1}', "'id': no value"),
        (r'{"id": "\u0000", "label": "a", "time": 1}', "'id': no value"),
        ('{"id": 9007199254740993.0, "label": "a", "time": 1}', "'id': no value"),
        ('{"id": 1e300, "label": "a", "time": 1}', "'id': no value"),
    ],
)
def test_a_line_that_does_not_fit_is_left_out_alone(tmp_path, bad, rule):
    path = tmp_path / "taps.jsonl"
    lines = [bad if isinstance(bad, str) else json.dumps(bad), *(json.dumps(event(who, "b", 1)) for who in range(3))]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = read_lists(path, universe=UNIVERSE)
    assert (found.lists.to_lists(), len(found.misfits)) == ([[1]] * 3, 1)
    assert rule in found.misfits.rules
    with pytest.raises(InputError, match="must fit, but some do not") as caught:
        read_lists(path, universe=UNIVERSE, strict=True)
    assert SECRET not in f"{caught.value} {found} {found.misfits.note}"
    path.write_text(lines[0], encoding="utf-8")
    with pytest.raises(InputError, match="no row of") as caught:
        read_lists(path, universe=UNIVERSE)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1.0", "1"),
        ("1e0", "1"),
        ("1.50", "1.5"),
        ("-0", "0"),
        ("true", "true"),
        ("1180591620717411303425",) * 2,
    ],
)
@pytest.mark.parametrize("others", ['"x"', "1", "1.5", "true", "[1]"])
def test_a_value_is_one_text_whatever_the_others_are(tmp_path, value, text, others):
    path = tmp_path / "taps.jsonl"
    path.write_text("".join(f'{{"id": "p", "label": {each}, "time": 1}}\n' for each in (value, others)), encoding="utf-8")
    assert text in observed_labels(path)
    assert read_lists(path, universe=Universe([text, "other"])).lists.to_lists() == [[0] * (1 + (others == text))]


def test_many_bad_lines_are_found_among_good_ones(tmp_path):
    lines = [event(place, "a", 1) if place % 7 else "{" + "x" * (place % 3) + "}" for place in range(1000)]
    lists, dropped = read(tmp_path, *lines)
    assert (len(lists), dropped) == (sum(place % 7 > 0 for place in range(1000)), 0)


def test_the_format_may_be_named_for_any_ending(tmp_path):
    path = tmp_path / "events.log"
    path.write_text(json.dumps(event(1, "a", 1)), encoding="utf-8")
    assert len(read_lists(path, universe=UNIVERSE, options=ReadOptions(file_format=FileFormat.JSONL)).lists) == 1
