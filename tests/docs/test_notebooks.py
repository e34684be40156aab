"""The notebooks of the documents run, and show tables."""

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs").rglob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_records_explanation_and_release_as_tables(path, tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=1800, startup_timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [
        output["data"]["text/html"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output and "text/html" in output["data"]
    ]
    captions = " ".join(shown)
    for expected in ("Private sequences, taps", "prefix tree, epsilon = 1", "A release of sequences"):
        assert expected in captions
    assert (tmp_path / "release" / "manifest.json").exists()
    assert all(not cell.outputs for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
