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
    columns = LongColumns(id="card", label="st\u00f6p", time="t")
    assert read(tmp_path, {"card": 1, "st\u00f6p": "a", "t": 1}, columns=columns)[0] == [[0]]


def test_other_encodings_are_read(tmp_path):
    path = tmp_path / "taps.ndjson"
    path.write_bytes(json.dumps(event(1, '\u00e9\n"x"', 1), ensure_ascii=False).encode("utf-16"))
    options = ReadOptions(dialect=TextDialect(encoding="utf-16"))
    assert read_lists(path, universe=UNIVERSE, options=options).lists.to_lists() == [[3]]
    assert observed_labels(path, options=options) == ['\u00e9\n"x"']


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([event(1, "a", 1), f'{{"id": 1, "label": "{SECRET}"'], "must be one JSON object, line 2 is not"),
        ([event(1, "a", 1), f'["{SECRET}"]'], "must be one JSON object, line 2 is not"),
        ([event(1, "a", 1), "", SECRET], "must be one JSON object, line 3 is not"),
        ([event(1, "a", 1), f'{{"id": 1}} "{SECRET}"'], "must be one JSON object, line 2 is not"),
        ([event(1, "a", 1), '{"id": 1, "label": "a", "time": ' + "9" * 50 + "}"], "cannot be read as jsonl"),
        ([event(1, "a", 1), '{"id": 1, "label": "a", "time": 1e999}'], "cannot be read as jsonl"),
        (["[" * 100_000], "cannot be read as jsonl"),
        ([event(1, "a", 1), event(1, SECRET, None)], "column 'time', row 2 has none"),
        ([event(1, "a", 1), {"id": 1, "label": SECRET}], "column 'time', row 2 has none"),
        ([event(1, "a", 1), event(SECRET, "", 1)], "column 'label', row 2 has none"),
        ([event(1, "a", 1), event(1, "a", SECRET)], "numbers or ISO dates, row 2 does not"),
        ([{"id": 1, "place": SECRET, "time": 1}], "must have the columns id, label, time"),
        (["{}"], "must have the columns id, label, time"),
    ],
)
def test_bad_lines_are_told_by_their_place(tmp_path, lines, message):
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, *lines)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("value", ["1.0", "1.5", "1e3", "9007199254740993.0", "true", "false", "[1]", '{"a": 1}'])
@pytest.mark.parametrize("other", ['"x"', "1", '"1"'])
@pytest.mark.parametrize("name", ["id", "label"])
def test_values_of_several_spellings_are_no_ids_and_no_labels(tmp_path, value, other, name):
    """Two people must not become one because two numbers are nearly equal."""
    rest = '"label": "a"' if name == "id" else '"id": "p"'
    lines = [f'{{"{name}": {entry}, {rest}, "time": 1}}' for entry in (other, value)]
    with pytest.raises(InputError, match=f"column '{name}' must hold strings or whole numbers, line 2 does not"):
        read(tmp_path, *lines)


def test_half_characters_are_refused(tmp_path):
    with pytest.raises(InputError, match="half of a surrogate pair"):
        read(tmp_path, r'{"id": "\ud800", "label": "a", "time": 1}', r'{"id": "\ud801", "label": "b", "time": 1}')


def test_the_format_may_be_named_for_any_ending(tmp_path):
    path = tmp_path / "events.log"
    path.write_text(json.dumps(event(1, "a", 1)), encoding="utf-8")
    assert len(read_lists(path, universe=UNIVERSE, options=ReadOptions(file_format=FileFormat.JSONL)).lists) == 1
