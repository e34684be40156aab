"""`tacita datasets`: what is known, what is fetched or taken, and what is refused."""

import gzip
import http.server
import json
import socket
import threading
from dataclasses import replace

import jsonschema
import pytest

from commands import refused
from tacita import datasets
from tacita.cli import main
from tacita.datasets import DATASETS, Dataset, digest, fetch, local_copy
from tacita.kinds import kinds
from tacita.schemas import output_schema

TEXT = b"# a comment\r\n1 2\r\n3\r\n"


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A small data set that is known, and a folder that holds it."""
    source = tmp_path / "source" / "below"
    source.mkdir(parents=True)
    with gzip.open(source / "toy.dat.gz", "wb") as file:
        file.write(TEXT)
    rest = {"about": "a toy", "records": 2, "terms": "free", "page": "https://toy.example"}
    known = Dataset(name="toy", kind="sets", file="toy.dat.gz", sha256=digest(source / "toy.dat.gz"), **rest)
    monkeypatch.setitem(datasets.DATASETS, "toy", known)
    return known


def test_the_list_names_terms_page_and_checksum_of_everything(capsys):
    assert main(["datasets"]) == 0
    printed = capsys.readouterr().out
    for one in DATASETS.values():
        assert all(part in printed for part in (one.name, one.terms, one.page, one.sha256))
        assert one.kind in kinds()
    assert main(["datasets", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema("tacita-datasets-1"))
    assert len(told["datasets"]) == len(DATASETS)


def test_a_local_copy_is_taken_and_checked_whatever_its_compression_and_comments(toy, tmp_path, capsys):
    assert main(["datasets", "toy", "--from", str(tmp_path / "source"), "--out", str(tmp_path / "mine"), "--json"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), output_schema("tacita-datasets-1"))
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "toy.dat.gz").write_bytes(b"1 2\n3\n")
    assert local_copy(toy, tmp_path / "plain").name == "toy.dat.gz"
    assert main(["datasets", "toy", "--from", str(tmp_path / "plain")]) == 0


def test_a_copy_with_a_wrong_checksum_is_refused_and_leaves_nothing(toy, tmp_path, capsys):
    (tmp_path / "source" / "below" / toy.file).write_bytes(b"1 2\n4\n")
    code = main(["datasets", "toy", "--from", str(tmp_path / "source"), "--out", str(tmp_path / "mine")])
    refused(code, capsys, "its checksum differs")
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nope", "--out", "x"], "a data set must be one of"),
        (["toy"], "say where to put it"),
        (["--out", "x"], "name the data sets to take"),
        (["toy", "--out", "x"], "cannot be fetched: get it from https://toy.example"),
        (["toy", "--from", "nowhere", "--out", "x"], "there is no file toy.dat.gz"),
    ],
)
@pytest.mark.usefixtures("toy")
def test_what_cannot_be_had_is_refused_in_a_sentence(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(main(["datasets", *words]), capsys, message)
    assert not (tmp_path / "x").exists()


def test_a_publisher_is_asked_once_and_its_answer_is_checked(toy, tmp_path):
    """The publisher is a server of this machine."""

    class Publisher(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(gzip.compress(TEXT if self.path == "/right" else b"wrong\n"))

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Publisher)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        assert fetch(replace(toy, address=f"{address}/right"), tmp_path / "got").read_bytes()
        with pytest.raises(datasets.InputError, match="its checksum differs"):
            fetch(replace(toy, address=f"{address}/wrong"), tmp_path / "bad")
        assert not (tmp_path / "bad").exists()
        with pytest.raises(datasets.OutputError, match="exists"):
            fetch(replace(toy, address=f"{address}/right"), tmp_path / "got")
    finally:
        server.shutdown()
        server.server_close()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # held, so that nobody else can answer there
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(datasets.InputError, match="cannot be fetched from"):
            fetch(replace(toy, address=f"{address}/right"), tmp_path / "late")


def test_the_real_files_are_those_that_are_listed(data_folder):
    for name in ("groceries", "ca-grqc", "webview-1"):
        assert local_copy(DATASETS[name], data_folder).exists()
