"""What a release will probably keep, and what it looks like beside the raw network."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tacita.errors import ParameterError
from tacita.forecasts import Request
from tacita.forecasts.networks import forecast_request
from tacita.networks import NetworkRecords, ShapeNetwork
from tacita.privacy.budget import PureDP
from tacita.public.inputs import PublicInputs
from tacita.public.universe import Universe
from tacita.simulate import NetworkWorld
from tacita.testing import seeded_ledger
from tacita.utility.networks import judged, pictures
from tacita.utility.verdict import headline
from tacita_papers import RandomNetwork


def request(method, name, *, vertices=300, edges=900, **rest):
    universe = Universe([str(number) for number in range(vertices)])
    return Request(name=name, method=method, budget=PureDP(2), public=PublicInputs(universe=universe), records=edges, **rest)


def test_a_forecast_advises_against_a_random_graph():
    found = forecast_request(request(RandomNetwork(), "random"))
    assert found.better in {"shape", "degree"}
    assert "no data was read" in found.lines()[0]
    assert set(found.as_json()["others"]) == {"shape", "degree"}


@pytest.mark.parametrize(
    ("rest", "message"),
    [({"mean_length": 3.0}, "leave out the rest"), ({"edges": 40_000}, "a quarter of all pairs")],
)
def test_a_forecast_refuses_what_it_does_not_know(rest, message):
    with pytest.raises(ParameterError, match=message):
        forecast_request(request(ShapeNetwork(), "shape", **rest))


def test_pictures_are_svg_with_titles_and_a_baseline():
    world = NetworkWorld(vertices=200, mean_degree=5, communities=4, seed=1)
    ends = world.edges()
    records = NetworkRecords.from_codes(ends[:, 0], ends[:, 1], universe=world.universe)
    release = ShapeNetwork().publish(records, budget=PureDP(2), ledger=seeded_ledger(1))
    drawn = pictures(records, release.data, found=judged(records, release.data, release.manifest))
    assert len(drawn) == 3
    for picture in drawn:
        assert ET.fromstring(picture.svg()).find("{http://www.w3.org/2000/svg}title").text == picture.title
    assert [row[0] for row in drawn[0].tables[0].rows][:2] == ["this release", "publish nothing"]
    assert drawn[1].title.startswith("Degrees agree")
    empty = records.published(records.graph.__class__(200, np.zeros(0, dtype=np.int64)))
    found = judged(records, empty, release.manifest)
    assert "empty" in headline(found)
    bad = pictures(records, empty, found=found)
    assert "no better than publishing nothing" in bad[0].title
    assert bad[1].title.startswith("Degrees do not agree")
