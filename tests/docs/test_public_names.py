"""The lists of public names are honest."""

import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

import tacita
import tacita_papers
from tacita.kinds import kind_named

KINDS = ("sets", "sequences", "tables", "people", "networks", "streams", "trajectories", "personal")
PACKAGES = (tacita, tacita_papers)
FOUND = [module.name for package in PACKAGES for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
MODULES = [name for name in FOUND if not name.endswith("__main__")]


@pytest.mark.parametrize("name", ["tacita", "tacita_papers", *MODULES])
def test_every_module_says_what_it_is_about_and_lists_names_that_exist(name):
    module = import_module(name)
    assert module.__doc__
    listed = getattr(module, "__all__", [])
    assert len(listed) == len(set(listed))
    for public in listed:
        assert getattr(module, public) is not None


def test_the_top_level_offers_what_it_lists_and_nothing_else():
    assert {*tacita._HOMES, *tacita._ROOMS} == set(tacita.__all__) == set(dir(tacita))
    assert len(tacita.__all__) <= 40
    with pytest.raises(AttributeError, match=r"no attribute 'Nothing'$"):
        tacita.Nothing  # noqa: B018 - looking it up is the point


def test_a_name_without_its_room_is_answered_with_the_room():
    with pytest.raises(AttributeError, match=r"no attribute 'PrefixTree'; it is in a room: ta\.sequences\.PrefixTree"):
        tacita.PrefixTree  # noqa: B018 - looking it up is the point


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_its_registration_and_its_room_share_one_plural_name(name):
    assert import_module(f"tacita.kinds.{name}").KIND is kind_named(name)
    assert import_module(f"tacita.{name}") is getattr(tacita, name)
    assert not callable(getattr(tacita, name))


@pytest.mark.parametrize("name", ["networks", "io", "publish", "Ledger"])
def test_a_public_name_is_there_whatever_was_touched_before(name):
    """In a process of its own: a name must not depend on another one having loaded its module."""
    code = f"import tacita as ta; assert ta.{name} is not None; assert ta.__version__"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_the_papers_package_offers_what_it_lists():
    assert dir(tacita_papers) == tacita_papers.__all__
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        tacita_papers.Nothing  # noqa: B018 - looking it up is the point


def test_type_checkers_know_every_public_name(tmp_path):
    """With the options of `make check`, whose cache serves it."""
    from mypy import api

    lines = ["import tacita as ta", *(f"reveal_type(ta.{name})" for name in tacita.__all__)]
    lines += [f"reveal_type(ta.{room}.{name})" for room in KINDS for name in getattr(tacita, room).__all__]
    lines += ['opened = ta.open_release("release")', "reveal_type(opened.data)", "reveal_type(ta.choose_method)"]
    lines += ['chosen = ta.choose_method("sets", budget=ta.PureDP("1"))', "reveal_type(chosen.method)"]
    lines += ['release = ta.publish("taps.csv", kind="sequences")', "reveal_type(release.to_pandas())"]
    lines += ["import tacita_papers", *(f"reveal_type(tacita_papers.{name})" for name in tacita_papers.__all__)]
    script = tmp_path / "names.py"
    script.write_text("\n".join(lines), encoding="utf-8")
    text, _, code = api.run([str(script)])
    assert code == 0, text
    assert 'Revealed type is "Any"' not in text
