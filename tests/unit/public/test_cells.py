"""Cells of a map as public places: where a point belongs, how large cells are, and what their outlines say."""

import json

import numpy as np
import pytest

from tacita.errors import ParameterError
from tacita.public.cells import CellGrid
from tacita.public.inputs import PublicInputs

BOX = "40,10,41,12"
GRID = CellGrid.parse(BOX, "2x4")


@pytest.mark.parametrize(
    ("size", "shape"),
    [("2x4", (2, 4)), ("0.5deg", (2, 4)), ("500 m", (222, 338)), (" .5km", (222, 338)), ("1000km", (1, 1))],
)
def test_a_size_is_in_metres_kilometres_degrees_or_rows_and_columns(size, shape):
    found = CellGrid.parse(BOX, size)
    assert (found.rows, found.columns) == shape


@pytest.mark.parametrize("size", ["5", "0km", "0deg", "-1km", "1mile", "16", "16x", "0x3", "1e9m x", "nan km"])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(ParameterError):
        CellGrid.parse(BOX, size)


@pytest.mark.parametrize("box", ["1,2,3", "a,b,c,d", (1, 2, 3), 7, "41,10,40,12", "40,10,41,nan"])
def test_a_box_that_is_none_is_refused(box):
    with pytest.raises(ParameterError, match="box"):
        CellGrid.parse(box, "2x2")


def test_a_cell_holds_its_south_and_west_side_and_no_other():
    latitudes, longitudes = np.array([40, 40.5, 40.4999, 41, 40.2, np.nan]), np.array([10, 10.5, 11.9999, 11, 9.99, 11])
    assert GRID.codes(latitudes, longitudes).tolist() == [0, 5, 3, -1, -1, -1]


def test_the_centre_of_each_cell_lies_in_it():
    assert GRID.codes(*GRID.centres()).tolist() == list(range(8))


def test_outlines_are_geojson_whose_cells_tile_the_box():
    shown = json.loads(GRID.geojson())
    assert shown["type"] == "FeatureCollection"
    labels = [feature["properties"]["label"] for feature in shown["features"]]
    assert labels == list(GRID.universe.labels)
    area = 0.0
    for code, feature in enumerate(shown["features"]):
        (ring,) = feature["geometry"]["coordinates"]
        assert ring[0] == ring[-1]
        (west, south), (east, north) = ring[0], ring[2]
        area += (east - west) * (north - south)
        place = feature["properties"]
        assert GRID.codes(np.array([place["latitude"]]), np.array([place["longitude"]])).tolist() == [code]
    assert area == pytest.approx(2.0)


def test_a_grid_that_a_manifest_describes_is_the_same_and_a_changed_one_is_refused():
    described = GRID.as_json()
    assert CellGrid.from_json(described) == GRID
    with pytest.raises(ParameterError, match="digest"):
        CellGrid.from_json({**described, "rows": 3})


def test_public_inputs_describe_the_cells_of_their_universe():
    assert PublicInputs(universe=GRID.universe).as_json()["cells"] == GRID.as_json()
    assert "cells" not in PublicInputs(universe=CellGrid.parse(BOX, "1x1").universe.__class__("ab")).as_json()


def geojson(folder, shape):
    path = folder / "outline.geojson"
    path.write_text(json.dumps(shape), encoding="utf-8")
    return path


def test_an_outline_is_cut_at_the_sides_of_the_box(tmp_path):
    square = {"type": "Polygon", "coordinates": [[[9, 40.5], [11, 40.5], [11, 39], [9, 39], [9, 40.5]]]}
    hole = {"type": "Feature", "properties": {}, "geometry": None}
    shape = {"type": "FeatureCollection", "features": [hole, {"type": "Feature", "geometry": square}]}
    found = GRID.outlined(geojson(tmp_path, shape))
    assert found.outline == (((10.0, 40.5), (11, 40.5), (11.0, 40.0)),)
    assert (found, found.as_json()) == (GRID, GRID.as_json())


def test_a_line_that_leaves_the_box_and_comes_back_is_two(tmp_path):
    line = {"type": "MultiLineString", "coordinates": [[[10.5, 40.5], [10.5, 42], [11, 42], [11, 40.5]]]}
    assert len(GRID.outlined(geojson(tmp_path, line)).outline) == 2


@pytest.mark.parametrize(
    "shape",
    [
        [],
        {"type": "Point", "coordinates": [10, 40]},
        {"type": "LineString", "coordinates": [[1, 2], [3, 4]]},
        {"type": "LineString", "coordinates": "far"},
        {"type": "Feature"},
    ],
)
def test_an_outline_without_a_line_in_the_box_is_refused(tmp_path, shape):
    with pytest.raises(ParameterError, match="outline"):
        GRID.outlined(geojson(tmp_path, shape))


def test_the_sides_of_a_box_and_coordinates_beyond_all_numbers_have_one_cell_or_none():
    grid = CellGrid(south=40.0, west=10.0, north=41.0, east=11.0, rows=2, columns=3)
    latitudes = np.array([40.0, 40.0, 41.0, np.nextafter(41.0, 0), np.nextafter(40.0, 0), 1e308, -1e308, np.nan, np.inf])
    longitudes = np.array([10.0, 11.0, 10.0, np.nextafter(11.0, 0), 10.0, 10.5, 1e308, 10.5, 10.5])
    assert grid.codes(latitudes, longitudes).tolist() == [0, -1, -1, 5, -1, -1, -1, -1, -1]
