"""A basket depends on its own rows alone: not on their order, not on times beside them, and not on anybody else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import neighbouring_baskets
from tacita.io import FileFormat, LongColumns, ReadOptions
from tacita.public.inputs import PerPerson
from tacita.public.universe import Universe
from tacita.sets import read_baskets

UNIVERSE = Universe([f"item {place}" for place in range(70)])
"""More items than a mask has bits; the tests use the first, the last, and one in between, beside one that is unknown."""
LABELS = st.sampled_from(["item 0", "item 33", "item 69", "nothing"])
IDS = st.sampled_from(["1", "01", "2", "x", "9000000000000000000"])
ROWS = st.lists(st.tuples(IDS, st.sampled_from("ab"), LABELS, st.integers(0, 9)), min_size=1, max_size=12)


def read(folder, rows, file_format=FileFormat.CSV, most=None):
    path = folder / f"rows{file_format.ending}"
    if file_format is FileFormat.CSV:
        text = "id,visit,label,time\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)
    else:
        names = ("id", "visit", "label", "time")
        text = "".join(
            "{" + ",".join(f'"{name}":"{part}"' for name, part in zip(names, row, strict=True)) + "}\n" for row in rows
        )
    path.write_text(text, encoding="utf-8")
    options = ReadOptions(columns=LongColumns(record="visit"), per_person=PerPerson(most))
    return read_baskets(path, universe=UNIVERSE, options=options)


@given(rows=ROWS, data=st.data())
@settings(max_examples=60)
def test_the_order_of_rows_and_their_times_do_not_matter(tmp_path_factory, rows, data):
    folder = tmp_path_factory.mktemp("order")
    first = read(folder, rows)
    shuffled = [(*row[:3], data.draw(st.integers(0, 9))) for row in data.draw(st.permutations(rows))]
    second = read(folder, shuffled)
    assert sorted(first.baskets.to_lists()) == sorted(second.baskets.to_lists())
    assert (first.dropped_labels, first.dropped_baskets) == (second.dropped_labels, second.dropped_baskets)


@pytest.mark.parametrize("file_format", [FileFormat.CSV, FileFormat.JSONL])
@given(rows=ROWS, most=st.sampled_from([None, 1, 2]))
@settings(max_examples=60)
def test_baskets_are_those_that_a_plain_reading_of_the_rows_gives(tmp_path_factory, file_format, rows, most):
    apart = {}
    for person, visit, label, _ in rows:
        apart.setdefault((person, visit if most else ""), set()).update({label} & set(UNIVERSE.labels))
    kept, seen = [], {}
    for (person, _), basket in sorted(apart.items()):  # a cap counts a person's baskets in the order of their names
        seen[person] = seen.get(person, 0) + bool(basket)
        if basket and (most is None or seen[person] <= most):
            kept.append(sorted(UNIVERSE.code(label) for label in basket))
    found = read(tmp_path_factory.mktemp("plain"), rows, file_format, most)
    assert sorted(found.baskets.to_lists()) == sorted(kept)
    assert found.dropped_labels == sum(label == "nothing" for _, _, label, _ in rows)
    assert found.dropped_baskets == sum(not basket for basket in apart.values())


@given(mine=ROWS, others=ROWS, most=st.sampled_from([None, 1, 2]))
@settings(max_examples=60)
def test_another_person_changes_nothing(tmp_path_factory, mine, others, most):
    folder = tmp_path_factory.mktemp("stable")
    mine, others = [("me", *row[1:]) for row in mine], [("else", *row[1:]) for row in others]
    alone, together = read(folder, mine, most=most), read(folder, [*others, *mine], most=most)
    rest = read(folder, others, most=most)
    assert sorted(together.baskets.to_lists()) == sorted(alone.baskets.to_lists() + rest.baskets.to_lists())


@given(pair=neighbouring_baskets())
def test_one_basket_more_is_one_basket_more_or_none_if_it_holds_nothing(pair):
    fewer, more = (sorted(side.baskets.to_lists()) for side in pair)
    for basket in fewer:
        more.remove(basket)
    assert len(more) <= 1
