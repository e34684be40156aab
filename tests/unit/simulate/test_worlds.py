import tracemalloc

import polars as pl
import pytest

from tacita.errors import OutputError, ParameterError
from tacita.io import FileFormat
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sequences import read_sequences
from tacita.simulate import WORLDS, make_world, write_world

NAMES = tuple(WORLDS)


def files(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_the_worlds_have_the_names_of_the_command_line():
    assert set(NAMES) >= {"metro", "bus", "stm", "city80k", "stm460k", "baskets", "census", "network", "phones", "stream"}
    assert tuple(WORLDS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_world_has_the_size_that_is_asked_for_and_a_taxonomy_over_its_universe(name):
    world = make_world(name, records=200, seed=3)
    stations = 1012  # of which a network of stations has as many, however many passengers there are
    assert world.statistics()["records"] == (stations if name == "stm-network" else 200)
    assert world.seed == 3
    assert world.taxonomy.universe == world.universe
    assert next(iter(world.tables())) == world.kind
    assert "200" in world.description


@pytest.mark.parametrize("name", NAMES)
def test_without_a_size_a_world_is_as_large_as_the_data_that_it_stands_for(name):
    assert f"{WORLDS[name].records:,}" in make_world(name).description


@pytest.mark.parametrize("file_format", [FileFormat.CSV, FileFormat.PARQUET])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_name_size_and_seed_give_the_same_files_and_another_seed_others(name, file_format, tmp_path):
    folders = [
        write_world(make_world(name, records=200, seed=seed), tmp_path / str(number), file_format=file_format)
        for number, seed in enumerate((1, 1, 2))
    ]
    assert files(folders[0]) == files(folders[1])
    assert files(folders[0]) != files(folders[2])
    assert "nobody's data" in (folders[0] / "README.md").read_text(encoding="utf-8")
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["0", "1", "2"]


def parents_by_name(taxonomy):
    return {taxonomy.name(node): taxonomy.name(parent) for node, parent in enumerate(taxonomy.parents) if parent >= 0}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "census"])  # whose columns are declared instead
def test_universe_and_taxonomy_can_be_read_back(name, tmp_path):
    world = make_world(name, records=200)
    folder = write_world(world, tmp_path / "world")
    universe = Universe.read(folder / "universe.txt")
    taxonomy = Taxonomy.read(folder / "taxonomy.csv", child="child", parent="parent", universe=universe)
    assert universe == world.universe
    named = [
        {tree.name(node): tree.name(up) for node, up in enumerate(tree.parents) if up >= 0} for tree in (taxonomy, world.taxonomy)
    ]
    assert named[0] == named[1]


@pytest.mark.parametrize("file_format", [FileFormat.CSV, FileFormat.PARQUET])
def test_written_taps_are_read_back_as_the_sequences_that_they_are(file_format, tmp_path):
    world = make_world("metro", records=500)
    folder = write_world(world, tmp_path / "world", file_format=file_format)
    records = read_sequences(folder / f"sequences{file_format.ending}", universe=world.universe)
    assert records.sequences.to_lists() == world.sequences().to_lists()


def test_trajectories_come_with_an_attribute_for_each_person(tmp_path):
    folder = write_world(make_world("city80k", records=100), tmp_path / "world")
    rows, people, values = (pl.read_csv(folder / f"{name}.csv") for name in ("trajectories", "attributes", "attribute_values"))
    assert rows.columns == ["id", "label", "time"]
    assert people["id"].to_list() == list(range(100))
    assert set(people["attribute"]) <= set(values["attribute"])
    assert values["sensitive"].sum() == 1


def test_a_network_is_written_as_an_edge_list_with_comments(tmp_path):
    world = make_world("network", records=100)
    folder = write_world(world, tmp_path / "world")
    lines = (folder / "networks.txt").read_text(encoding="utf-8").splitlines()
    edges = [tuple(map(int, line.split("\t"))) for line in lines if not line.startswith("#")]
    assert edges == [(one + 1, other + 1) for one, other in world.edges().tolist()]


def test_a_folder_that_exists_is_refused_and_left_alone(tmp_path):
    with pytest.raises(OutputError, match="must not exist yet"):
        write_world(make_world("metro", records=5), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_world_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    with pytest.raises(OutputError, match="No space left on device; nothing was left there"):
        write_world(make_world("metro", records=5), tmp_path / "world")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("mars", {}, "a world must be one of metro, bus"),
        ("metro", {"records": 0}, "at least one record"),
        ("metro", {"seed": -1}, "a seed that is not negative"),
    ],
)
def test_a_world_that_is_not_there_is_refused(name, more, message):
    with pytest.raises(ParameterError, match=message):
        make_world(name, **more)


def test_a_format_for_sequences_only_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="csv or parquet, got 'seq'"):
        write_world(make_world("metro", records=5), tmp_path / "world", file_format=FileFormat.SEQ)


@pytest.mark.parametrize("name", NAMES)
def test_memory_grows_no_faster_than_the_records(name):
    def peak(records):
        world = make_world(name, records=records)
        _ = world.universe, world.taxonomy  # those of stations and items do not grow
        tracemalloc.start()
        world.tables()
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    few = 200 if name == "phones" else 8_000  # a person with a phone has thousands of symbols
    peak(few)  # the first run also makes what stays, such as modules and caches
    assert peak(2 * few) < 2.3 * peak(few)
