"""Known public data: what it is, whose terms hold, and a checksum; fetched from its publisher, or taken from a local folder.

A checksum is that of the decompressed text without comment lines and with plain line ends, so that another compression, or a
mirror that leaves the comments out, does not matter. Data whose terms forbid passing it on, or that is an extract, has no
address: its page says how to get it, and a local copy is checked the same way. None of it comes with Tacita.
"""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tacita.errors import InputError, OutputError, ParameterError
from tacita.io.sources import opened_lines
from tacita.privacy.drafts import appearing

__all__ = ["DATASETS", "Dataset", "dataset_named", "digest", "fetch", "local_copy"]

SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One file of public data."""

    name: str
    kind: str
    file: str
    about: str
    records: int
    terms: str
    page: str
    sha256: str
    address: str | None = None
    options: str = ""
    """What else to type to publish it, beside a budget."""


_SNAP = "cite SNAP (Leskovec and Krevl) and the paper named on its page"
_SNAP_PAGE = "https://snap.stanford.edu/data"
_FIMI = "research; cite the FIMI repository and the donor"
_FIMI_PAGE = "https://fimi.uantwerpen.be/data"

DATASETS = {
    one.name: one
    for one in (
        Dataset(
            name="msnbc",
            kind="sequences",
            file="msnbc990928.seq.gz",
            about="page categories that users of msnbc.com visited on 28 September 1999, in order",
            records=989_818,
            terms="UCI Machine Learning Repository, cite",
            page="https://archive.ics.uci.edu/dataset/133/msnbc+com+anonymous+web+data",
            address="https://archive.ics.uci.edu/ml/machine-learning-databases/msnbc-mld/msnbc990928.seq.gz",
            sha256="c1ff4ee9844ca646c05a102e144100d8f239524749046d97b68e0b70d50f9176",
            options="--universe msnbc990928.seq.gz",
        ),
        Dataset(
            name="retail",
            kind="sets",
            file="retail.dat.gz",
            about="baskets of a Belgian supermarket (Brijs and others, 1999), items numbered from 1 instead of 0",
            records=88_162,
            terms=_FIMI,
            page=_FIMI_PAGE,
            sha256="f30e68e88a111512a69181bedbb8012a42672af754fd2c5ca689e9d68f5c1b65",
        ),
        Dataset(
            name="webview-1",
            kind="sets",
            file="BMS-WebView-1.dat.gz",
            about="clicks of a web shop, KDD Cup 2000, as baskets",
            records=59_602,
            terms="research; cite KDD Cup 2000 (Kohavi and others)",
            page="https://kdd.org/kdd-cup/view/kdd-cup-2000",
            sha256="f875156ca34e8612a6555c1ffc15a313d9fdfe8074a5bc0feda1c6cfd7e922f5",
        ),
        Dataset(
            name="groceries",
            kind="sets",
            file="groceries.csv.gz",
            about="baskets of a grocery, item names with commas between, one basket per line",
            records=9_835,
            terms="GPL-3, as part of the R package arules",
            page="https://cran.r-project.org/package=arules",
            sha256="4a408c397f0c0128330155b419e2a56e1868f719e1b0e205e4aefa49fa668ca6",
            options="--input-format wide",
        ),
        Dataset(
            name="ca-grqc",
            kind="networks",
            file="CA-GrQc.txt.gz",
            about="who wrote papers on general relativity with whom",
            records=14_484,
            terms=_SNAP,
            page=f"{_SNAP_PAGE}/ca-GrQc.html",
            address=f"{_SNAP_PAGE}/ca-GrQc.txt.gz",
            sha256="2ed088bf080ff42ef795be88ea54e454fda0fed42f39e3b2dbca128e5657fb04",
            options="--edge-format edges",
        ),
        Dataset(
            name="ca-hepth",
            kind="networks",
            file="CA-HepTh.txt.gz",
            about="who wrote papers on the theory of high energy physics with whom",
            records=25_973,
            terms=_SNAP,
            page=f"{_SNAP_PAGE}/ca-HepTh.html",
            address=f"{_SNAP_PAGE}/ca-HepTh.txt.gz",
            sha256="6571ce6fd8c256bc10ffa5e48a2ec6061c0374533452d2748e99b45541f2ef50",
            options="--edge-format edges",
        ),
        Dataset(
            name="wiki-vote",
            kind="networks",
            file="Wiki-Vote.txt.gz",
            about="who voted on whom in elections of Wikipedia's administrators",
            records=100_762,
            terms=_SNAP,
            page=f"{_SNAP_PAGE}/wiki-Vote.html",
            address=f"{_SNAP_PAGE}/wiki-Vote.txt.gz",
            sha256="a8587badc446472cb9f809c08807be9a2d1a871ee05b2daf5f044048c7e92bda",
            options="--edge-format edges",
        ),
        Dataset(
            name="oyster",
            kind="sequences",
            file="oyster_rail_journeys.csv.gz",
            about="5 % of the journeys of a week of November 2009 in London, without card numbers; an extract",
            records=765_325,
            terms="Transport for London, open data, attribution",
            page="https://tfl.gov.uk/info-for/open-data-users",
            sha256="f59fec1598c47096ead604a66728d2d3ed32a9312e1efd6190c469ccb122b7f6",
        ),
        Dataset(
            name="geolife",
            kind="trajectories",
            file="geolife_beijing_1min.csv.gz",
            about="GPS points of 179 people in Beijing, the first fix of each minute; an extract",
            records=17_360,
            terms="Microsoft Research, non-commercial; may not be passed on",
            page="https://www.microsoft.com/en-us/download/details.aspx?id=52367",
            sha256="b1f93d6d663f549291c6c2b0cec9daad3e581c800d5cdf9bdf61d2798dfa427a",
        ),
        Dataset(
            name="t-drive",
            kind="trajectories",
            file="tdrive_600taxis.csv.gz",
            about="GPS points of 598 taxis in Beijing, 2 to 8 February 2008; an extract",
            records=598,
            terms="Microsoft Research, research only; may not be passed on",
            page="https://www.microsoft.com/en-us/research/publication/t-drive-trajectory-data-sample/",
            sha256="3a97f9de8261081e336e748296355bcb0072870b81c0f67475684627d0637138",
        ),
        Dataset(
            name="foursquare-nyc",
            kind="sequences",
            file="nyc_checkins.csv.gz",
            about="check-ins of 1,083 people in New York; an extract",
            records=1_083,
            terms="research only, cite Yang et al. 2015; may not be passed on",
            page="https://sites.google.com/site/yangdingqi/home/foursquare-dataset",
            sha256="87ab8c2e0f9eb5cde2482235ebbaa649dc103adbc324801edddf8f21d1a47258",
            options="--person user --label poi --time minute",
        ),
        Dataset(
            name="worldcup98",
            kind="streams",
            file="wc98_requests_per_minute.csv.gz",
            about="requests per minute to the site of the World Cup 1998; counts only, no users",
            records=125_300,
            terms="Internet Traffic Archive, free",
            page="https://ita.ee.lbl.gov/html/contrib/WorldCup.html",
            sha256="5853a15961cd0e009c2761011a19a0d9addfb3840d1f85fe4e13acefebc05e1c",
        ),
    )
}
"""All of it by name."""


def dataset_named(name: str) -> Dataset:
    """Find one by its name."""
    try:
        return DATASETS[name]
    except KeyError:
        message = f"a data set must be one of {', '.join(DATASETS)}, got {name!r}"
        raise ParameterError(message) from None


def digest(path: Path) -> str:
    """The checksum of a file: of its text, decompressed, without comment lines, with plain line ends."""
    found = hashlib.sha256()
    for line in opened_lines(path):
        if not line.startswith(b"#"):
            found.update(line.rstrip(b"\r\n") + b"\n")
    return found.hexdigest()


def local_copy(one: Dataset, folder: str | Path) -> Path:
    """The file of that name somewhere below a folder, checked."""
    found = sorted(Path(folder).rglob(one.file)) if Path(folder).is_dir() else []
    if not found:
        message = f"there is no file {one.file} below {str(folder)!r}; see {one.page}"
        raise InputError(message)
    _check(one, found[0])
    return found[0]


def fetch(one: Dataset, folder: str | Path, *, source: str | Path | None = None) -> Path:
    """Copy a data set into a folder: from its publisher, or from a local `source` folder; a wrong checksum leaves nothing."""
    path = Path(folder) / one.file
    if path.exists():
        message = f"the file {str(path)!r} exists; remove it, or name another folder"
        raise OutputError(message)
    if source is None and one.address is None:
        message = f"{one.name} cannot be fetched: get it from {one.page}, then name the folder where it is with --from"
        raise ParameterError(message)
    origin = None if source is None else local_copy(one, source)
    with _folder(path.parent), appearing(path.absolute(), what="the file cannot be written to", is_file=True) as draft:
        with draft.open("wb") as file:
            for part in _parts(one, origin):
                file.write(part)
        _check(one, draft)
    return path


@contextmanager
def _folder(folder: Path) -> Iterator[None]:
    """A folder that exists; if it was made for nothing, it is gone again."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder {str(folder)!r} cannot be made: {error.strerror or error}"
        raise OutputError(message) from None
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _check(one: Dataset, path: Path) -> None:
    if digest(path) != one.sha256:
        message = f"{one.file} is not the file that is known as {one.name}: its checksum differs; see {one.page}"
        raise InputError(message)


def _parts(one: Dataset, origin: Path | None) -> Iterator[bytes]:
    """The bytes of a local copy, or of the publisher's file."""
    if origin is not None:
        with origin.open("rb") as file:
            yield from _read(file)
        return
    try:
        with urllib.request.urlopen(str(one.address), timeout=SECONDS) as answer:  # noqa: S310 - an address of the table above
            yield from _read(answer)
    except (OSError, urllib.error.URLError) as error:
        message = f"{one.name} cannot be fetched from {one.address}: {error}; a local folder can be named with --from"
        raise InputError(message) from None


def _read(file: IO[bytes]) -> Iterator[bytes]:
    while part := file.read(2**20):
        yield part
