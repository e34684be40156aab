"""Any reader of Croissant opens a release by the file beside its manifest, and sees its guarantee."""

import json
import logging

import pytest

from released import WORLDS, release_of


@pytest.mark.parametrize(
    "name", ["streams", *(pytest.param(name, marks=pytest.mark.slow) for name in WORLDS if name != "streams")]
)
@pytest.mark.filterwarnings("ignore")
def test_a_release_is_valid_croissant_whose_records_can_be_read(name, tmp_path, caplog):
    caplog.set_level(logging.ERROR)
    mlcroissant = pytest.importorskip("mlcroissant")
    _, folder = release_of(name, tmp_path)
    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["guarantee"]["statement"] in dataset.metadata.description
    assert {file.name for file in dataset.metadata.distribution} == {file["name"] for file in manifest["files"]}
    for records in dataset.metadata.record_sets:
        assert next(iter(dataset.records(records.name)))


def test_the_provenance_names_the_activity_the_agent_and_the_public_inputs(tmp_path):
    _, folder = release_of("tables", tmp_path)
    made = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))["prov:wasGeneratedBy"]
    assert made["@type"] == "prov:Activity"
    assert made["prov:wasAssociatedWith"]["name"] == "Tacita"
    assert [used["name"] for used in made["prov:used"]] == ["columns"]
    assert len(made["prov:used"][0]["sha256"]) == 64
