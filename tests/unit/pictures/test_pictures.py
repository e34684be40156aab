"""Every shape is well-formed SVG, escapes what it is given, and has its figures in a table behind it."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from tacita.pictures import Axis, Bars, Block, Line, Table, bar_plot, line_plot, notebook, strip_plot
from tacita.pictures.ranked import Area, Multiple, Row, areas_plot, columns_plot, multiples, people_grid, rows_plot
from tacita.pictures.squares import Box, Flows, cell_maps, flow_maps, pair_maps, week_maps
from tacita.pictures.svg import CHARACTER

EVIL = "<script>alert('a & b')</script>"


def drawn():
    return [
        line_plot(
            EVIL,
            [Line(name=EVIL, values=[1, 2, 3], band=[0.5, 0.5, 0.5]), Line(name="zeros", values=[0, 0, 0], is_baseline=True)],
            x=Axis(label=EVIL, names=["x", EVIL, "z"]),
            y=Axis(label=EVIL),
        ),
        line_plot(
            EVIL,
            [Line(name="raw", xs=[1, 10], values=[0.5, 0.001]), Line(name="released", xs=[1, 100], values=[0.4, 0])],
            x=Axis(label="x", logarithmic=True),
            y=Axis(label="y", logarithmic=True),
        ),
        bar_plot(EVIL, [EVIL, "b"], [Bars(name=EVIL, values=[1, None], errors=[0.5, None], bounds=[2, None])], unit=EVIL),
        bar_plot(EVIL, [EVIL, "b"], [Bars(name=EVIL, values=[-1, 2])], unit=EVIL, as_line=True),
        pair_maps(EVIL, {EVIL: [[0, 1], [20, 3000]]}, names=[EVIL, "b"], about=EVIL, most=9, least=1, lit=20),
        cell_maps(EVIL, {"raw": [[0, 1], [2, 3]], EVIL: [[1, 0], [2, 3]]}, about=EVIL, unit=EVIL),
        cell_maps(EVIL, {EVIL: [[0, 1]]}, about=EVIL, unit="x", box=Box(south=39, west=116, north=40, east=117)),
        week_maps(EVIL, {"raw": [[1] * 24], EVIL: [[2] * 24]}, rows=[EVIL], about=EVIL, unit=EVIL),
        flow_maps(EVIL, {EVIL: Flows(inner=[[5]], to_others=[1], from_others=[2])}, names=[EVIL], others=3, about=EVIL),
        rows_plot(
            EVIL, [Row(name=EVIL, value=2, mark=3, error=1, words=EVIL, cells=(2,))], about=EVIL, columns=(EVIL, "x"), limit=1
        ),
        columns_plot(EVIL, [EVIL], {"raw": [1.0], EVIL: [0.5]}, x=EVIL, about=EVIL),
        multiples(EVIL, [Multiple(name=EVIL, names=[EVIL], sides={"raw": [1], EVIL: [0]}, ends=(EVIL, EVIL))], about=EVIL),
        areas_plot(
            EVIL,
            [
                Area(
                    name=EVIL,
                    sides={EVIL: [1, None, 2]},
                    band=[1, 1, 1],
                    cells=(EVIL,),
                    grade="bad",
                    words=EVIL,
                    value=2,
                    spread=1,
                )
            ],
            columns=(EVIL,),
            about=EVIL,
            times=(EVIL, EVIL),
        ),
        strip_plot(EVIL, {EVIL: [Block(name=EVIL)], "after": [None]}),
    ]


@pytest.mark.parametrize("place", range(len(drawn())))
def test_a_picture_is_well_formed_as_a_file_and_in_a_page_whatever_its_words(place):
    picture = drawn()[place]
    root = ET.fromstring(picture.svg())
    assert root.find("{http://www.w3.org/2000/svg}title").text == EVIL
    assert "<script>" not in picture.svg() + picture.figure("k") + notebook([picture])
    ET.fromstring(picture.figure("k").replace(" class=t", ""))
    assert " style=" not in picture.figure("k"), "a page's policy forbids style attributes"


@pytest.mark.parametrize("place", range(len(drawn())))
def test_a_table_behind_a_picture_has_a_cell_for_every_column_of_every_row(place):
    for table in drawn()[place].tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}
        assert table.as_json()["rows"] == [list(row) for row in table.rows]


def test_lines_with_places_of_their_own_have_one_row_per_point():
    (table,) = drawn()[1].tables
    assert table.rows == (("raw", 1, 0.5), ("raw", 10, 0.001), ("released", 1, 0.4), ("released", 100, 0))


def test_lines_over_the_same_places_have_their_bands_beside_them():
    (table,) = drawn()[0].tables
    assert table.columns[1:] == (EVIL, f"{EVIL}, ±", "zeros")
    assert table.rows[0] == ("x", 1, 0.5, 0)


def test_a_band_has_a_gap_where_nothing_is_known_and_a_single_point_has_a_bar():
    line = Line(name="a", values=[1, 2, 3, 4, 5], band=[1, 1, None, None, 9])
    picture = line_plot("t", [line], x=Axis(label="x"), y=Axis(label="y"))
    shapes = [each.get("class") for each in ET.fromstring(picture.svg()).iter() if each.tag.endswith(("polygon", "polyline"))]
    assert shapes == ["b0", "e0", "l0"]
    assert [row[2] for row in picture.tables[0].rows] == [1, 1, None, None, 9]


def test_intervals_have_ends_of_their_own_and_do_not_make_the_line_small():
    line = Line(name="a", values=[1, 2, 3], intervals=[(4, 400), None, (0, 2)], band=[1, 1, 1])
    picture = line_plot("t", [line], x=Axis(label="x"), y=Axis(label="y"))
    drawn = [each for each in ET.fromstring(picture.svg()).iter() if each.tag.endswith(("polygon", "polyline"))]
    assert [each.get("class") for each in drawn] == ["e0", "e0", "b0", "l0"]
    assert max(float(each.text) for each in ET.fromstring(picture.svg()).iter() if each.get("class") == "tick") <= 20
    assert picture.tables[0].columns == ("x", "a", "a, from", "a, to", "a, ±")
    assert picture.tables[0].rows == ((0, 1, 4, 400, 1), (1, 2, None, None, 1), (2, 3, 0, 2, 1))


def test_larger_values_are_drawn_higher_and_longer():
    rising = line_plot("t", [Line(name="a", values=[1, 5])], x=Axis(label="x"), y=Axis(label="y"))
    (line,) = (each for each in ET.fromstring(rising.svg()).iter() if each.get("class") == "l0")
    (_, low), (_, high) = (map(float, point.split(",")) for point in line.get("points").split())
    assert high < low, "down is positive in SVG"
    bars = bar_plot("t", ["a", "b"], [Bars(name="n", values=[1, 5])], unit="u")
    widths = [float(each.get("width")) for each in ET.fromstring(bars.svg()).iter() if each.get("class") == "f0"]
    assert widths[1] == pytest.approx(5 * widths[0], rel=0.01)


def test_a_darker_square_holds_more_and_an_empty_one_has_an_edge_only():
    picture = flow_maps(
        "t", {"raw": Flows(inner=[[0, 10], [100, 1000]], to_others=[], from_others=[])}, names=["a", "b"], others=0, about=""
    )
    assert [shade for shade in range(7) if f'class="h{shade}" d=' in picture.drawing] == [0, 3, 6]
    assert 'class="empty"' in picture.drawing


def test_cells_are_named_by_the_numbers_of_their_row_and_column_where_there_is_little_room():
    names = ["row 12 column 5", "row 1 column 11"]
    flows = {"raw": Flows(inner=[[1, 2], [3, 4]], to_others=[5, 6], from_others=[4700, 401])}
    picture = flow_maps("t", flows, names=names, others=2, about="")
    assert picture.drawing.count(">r12 c5<") == picture.drawing.count(">r1 c11<") == 2
    assert "r12 c5 is row 12 column 5" in picture.key
    assert picture.tables[0].columns[1:3] == tuple(names), "tables hold them whole"


def test_a_map_of_differences_is_orange_where_there_is_less_and_blue_where_there_is_more():
    picture = cell_maps("t", {"raw": [[10, 10, 10, 0]], "released": [[0, 10, 20, 0]]}, about="", unit="visits")
    assert [pane.name for pane in picture.panes] == ["raw", "released", "difference"]
    found = [shade for shade in range(7) if f'class="v{shade}" d=' in picture.panes[2].drawing]
    assert found == [0, 3, 6]


def test_a_gap_is_a_gap_and_no_zero():
    picture = line_plot("t", [Line(name="a", values=[5, 5, None, 5, 5])], x=Axis(label="x"), y=Axis(label="y"))
    lines = [each.get("points") for each in ET.fromstring(picture.svg()).iter() if each.get("class") == "l0"]
    assert len(lines) == 2
    assert len({point.split(",")[1] for line in lines for point in line.split()}) == 1, "no line leads down to zero"
    assert picture.tables[0].rows[2] == (2, None)


def test_a_hundred_people_are_as_many_as_the_odds_say():
    drawn = people_grid(50, 24)
    assert [drawn.count(f'class="{kind}"') for kind in ("anyway", "added", "wrong")] == [50, 24, 26]


def test_names_below_an_axis_do_not_meet():
    names = [f"2008-02-0{day} {hour:02}:00" for day in range(1, 8) for hour in range(24)]
    drawn = line_plot("people", [Line(name="a", values=[1.0] * len(names))], x=Axis(label="time", names=names), y=Axis(label="p"))
    ticks = re.findall(r'<text[^>]*x="([\d.]+)"[^>]*>(2008[^<]*)<', drawn.drawing)
    anchors = re.findall(r'text-anchor="(\w+)"[^>]*>2008', drawn.drawing)
    assert len(ticks) == len(anchors) >= 3
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}
    ends = [
        (float(x) - shift[anchor] * CHARACTER * len(name), CHARACTER * len(name))
        for (x, name), anchor in zip(ticks, anchors, strict=True)
    ]
    assert all(start + wide <= after for (start, wide), (after, _) in pairwise(ends))


def test_a_line_of_points_at_one_place_can_be_drawn():
    drawn = line_plot("one", [Line(name="a", values=[1.0], xs=[3])], x=Axis(label="x"), y=Axis(label="y"))
    assert "<circle" in drawn.drawing


def test_a_hash_may_be_broken_and_nothing_else():
    table = Table(caption="files", columns=("file", "hash"), rows=(("a", "f" * 64), ("b", "g " * 32)))
    assert f"{'f' * 32}<wbr>{'f' * 32}" in table.html()
    assert table.html().count("<wbr>") == 1
