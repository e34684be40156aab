"""A release with nothing in it is announced: before the budget is gone if the number of records is public, and loudly after."""

from tacita.cli import main
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger


def published(folder, *more, method="diffpart"):
    (folder / "items.txt").write_text("\n".join(f"i{number}" for number in range(300)) + "\n", encoding="utf-8")
    rows = [f"{person},i{(7 * person + step) % 300}" for person in range(60) for step in range(3)]
    (folder / "baskets.csv").write_text("id,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    words = ["publish", "sets", str(folder / "baskets.csv"), "--method", method, "--epsilon", "0.1"]
    return main([*words, "--universe", str(folder / "items.txt"), "--out", str(folder / "out"), *more])


def test_a_release_that_would_be_empty_is_refused_before_anything_is_spent(tmp_path, capsys):
    ledger = Ledger.create(tmp_path / "owner.ledger")
    ledger.set_cap("baskets.csv", PureDP("1"))
    before = ledger.path.read_bytes()
    assert published(tmp_path, "--records", "60", "--ledger", str(ledger.path), "--dataset", "baskets.csv") != 0
    assert "would be empty, by its forecast; nothing is spent" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert ledger.path.read_bytes() == before


def test_one_that_came_out_empty_says_so_loudly(tmp_path, capsys):
    assert published(tmp_path) == 0
    assert "THIS RELEASE IS EMPTY" in capsys.readouterr().out


def test_one_that_came_out_with_next_to_nothing_says_so_as_loudly(tmp_path, capsys):
    """60 baskets at epsilon 0.1 are a tenth of the noise of their number: one is released, but for one draw in fifty."""
    assert published(tmp_path, method="itemset-counts") == 0
    assert "THIS RELEASE IS NEARLY EMPTY, 1 in all" in capsys.readouterr().out
    (tmp_path / "again").mkdir()
    assert published(tmp_path / "again", "--json", method="itemset-counts") == 0
    assert "THIS RELEASE IS NEARLY EMPTY" in capsys.readouterr().err


def test_before_anything_is_read_explain_says_how_few_baskets_would_drown(tmp_path, capsys):
    (tmp_path / "items.txt").write_text("\n".join(f"i{number}" for number in range(16_470)) + "\n", encoding="utf-8")
    assert (
        main(["explain", "sets", "--method", "itemset-counts", "--epsilon", "1", "--universe", str(tmp_path / "items.txt")]) == 0
    )
    assert "with fewer than about 121 baskets, noise hides their number" in capsys.readouterr().out


def test_a_number_of_records_that_cannot_be_is_refused_before_anything_is_written(tmp_path, capsys):
    assert published(tmp_path, "--records", "-5") != 0
    assert "records must be" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_number_of_records_that_no_forecast_can_use_is_said_to_be_of_no_use(tmp_path, capsys):
    (tmp_path / "stations.txt").write_text("A\nB\n", encoding="utf-8")
    (tmp_path / "taps.csv").write_text("id,label,time\n1,A,0\n1,B,1\n", encoding="utf-8")
    words = ["publish", "sequences", str(tmp_path / "taps.csv"), "--epsilon", "1", "--universe", str(tmp_path / "stations.txt")]
    facts = ["--records", "1", "--mean-length", "5", "--longest-record", "2"]
    assert main([*words, *facts, "--out", str(tmp_path / "untimed")]) == 0
    assert "--records was not used" in capsys.readouterr().err


def test_a_stream_of_few_timestamps_is_not_called_empty(tmp_path, capsys):
    """Its timestamps are public: their number says nothing about how much was kept."""
    rows = [f"{person},{'AB'[person % 2]},{time}" for time in range(4) for person in range(200)]
    (tmp_path / "events.csv").write_text("\n".join(["id,label,time", *rows, ""]))
    (tmp_path / "cells.txt").write_text("A\nB\n")
    words = ["--epsilon", "1", "--universe", str(tmp_path / "cells.txt"), "--contexts", "3"]
    clock = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4"]
    for more in ([], ["--records", "800"]):
        out = str(tmp_path / f"release{len(more)}")
        assert main(["publish", "streams", str(tmp_path / "events.csv"), *words, *clock, *more, "--out", out]) == 0
        assert "EMPTY" not in capsys.readouterr().out
