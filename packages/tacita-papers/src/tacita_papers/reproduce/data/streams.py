"""The streams that methods are measured on: parts of real data sets (`TACITA_DATA`), and a simulated city.

T-Drive: 598 taxis of a week of 2008 in intervals of 10 minutes, in a box of central Beijing, 10 x 10 or 32 x 32 cells; a taxi
outside the box is taken as not there. GeoLife: the positions of 179 people by the minute of the day, all days of a person laid
over each other, the first of a minute kept and held until the next, 10 x 10 cells. Foursquare: check-ins in New York by the
hour, hours without any left out, 11 x 11 cells. WorldCup98: requests per minute of two days, counts only. The city is
`StreamWorld` with 100,000 users and 100 cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from tacita.arrays import Integers, Places
from tacita.simulate.streams import StreamWorld
from tacita.streams.records import Moment
from tacita_papers.reproduce.data.files import data_file

__all__ = ["CHOSEN_ON", "WORLDS", "World"]


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """A stream in columns: the people of timestamp t are those from starts[t] to starts[t + 1]; or counts alone."""

    truth: Integers
    starts: Places | None = None
    users: Places | None = None
    cells: Places | None = None

    @property
    def names_people(self) -> bool:
        """Whether people are known, or counts alone."""
        return self.users is not None

    def moments(self, *, named: bool) -> Iterator[Moment]:
        """The timestamps in order."""
        for place, counts in enumerate(self.truth):
            if not named or self.starts is None or self.users is None or self.cells is None:
                yield Moment.of_counts(place, counts)
            else:
                part = slice(int(self.starts[place]), int(self.starts[place + 1]))
                yield Moment(place=place, users=self.users[part], cells=self.cells[part], size=counts.size)


def _world(place: pl.Series, user: pl.Series, cell: Integers, *, size: int, steps: int) -> World:
    frame = pl.DataFrame({"place": place, "user": user, "cell": cell})
    kept = frame.unique(subset=["place", "user"], keep="first", maintain_order=True).sort("place", "user")
    places, cells = kept["place"].to_numpy(), kept["cell"].to_numpy()
    return World(
        truth=np.bincount(places * size + cells, minlength=steps * size).reshape(steps, size).astype(np.int64),
        starts=np.searchsorted(places, np.arange(steps + 1)).astype(np.intp),
        users=(kept["user"].rank("dense") - 1).to_numpy().astype(np.intp),
        cells=cells.astype(np.intp),
    )


def _boxed(frame: pl.DataFrame, box: tuple[float, float, float, float], side: int) -> pl.DataFrame:
    """Rows within the box, with their cells."""
    south, north, west, east = box
    row = ((pl.col("lat") - south) / (north - south) * side).floor().cast(pl.Int64)
    column = ((pl.col("lon") - west) / (east - west) * side).floor().cast(pl.Int64)
    inside = row.is_between(0, side - 1) & column.is_between(0, side - 1)
    return frame.filter(inside).with_columns(cell=row * side + column)


def tdrive(*, side: int) -> World:
    """Taxis of Beijing."""
    frame = pl.read_csv(data_file("tdrive", "tdrive_600taxis.csv.gz")).sort("unix_time", maintain_order=True)
    first, last = frame["unix_time"][0], frame["unix_time"][-1]
    boxed = _boxed(frame, (39.8, 40.05, 116.2, 116.55), side)
    place = (boxed["unix_time"] - first) // 600
    return _world(place, boxed["taxi"], boxed["cell"].to_numpy(), size=side * side, steps=(last - first) // 600 + 1)


def geolife(*, minutes: int = 1) -> World:
    """People of Beijing, by the minute of the day, or at every so manieth minute."""
    frame = pl.read_csv(data_file("geolife", "geolife_beijing_1min.csv.gz")).sort("unix_time", maintain_order=True)
    boxed = _boxed(frame, (39.8, 40.1, 116.2, 116.55), 10).with_columns(minute=pl.col("unix_time") // 60 % 1440)
    seen = boxed.unique(subset=["user", "minute"], keep="first", maintain_order=True).select("user", "minute", "cell")
    all_minutes = seen.select(pl.col("user").unique().sort()).join(pl.DataFrame({"minute": np.arange(1440)}), how="cross")
    held = all_minutes.join(seen, on=["user", "minute"], how="left").sort("user", "minute")
    held = held.with_columns(pl.col("cell").forward_fill().backward_fill().over("user"))
    held = held.filter(pl.col("minute") % minutes == 0)
    return _world(held["minute"] // minutes, held["user"], held["cell"].to_numpy(), size=100, steps=1440 // minutes)


def foursquare() -> World:
    """Check-ins in New York, by the hour."""
    places = pl.read_csv(data_file("foursquare_nyc", "nyc_pois.csv.gz"))
    frame = (
        pl.read_csv(data_file("foursquare_nyc", "nyc_checkins.csv.gz")).join(places, on="poi").sort("minute", maintain_order=True)
    )
    hours = ((frame["minute"] - 1) // 60).rank("dense").cast(pl.Int64) - 1
    boxed = _boxed(frame.with_columns(hour=hours), (40.55, 40.99, -74.28, -73.68), 11)
    return _world(boxed["hour"], boxed["user"], boxed["cell"].to_numpy(), size=121, steps=int(hours.max()) + 1)  # type: ignore[arg-type]


def worldcup() -> World:
    """Requests per minute, of two days of the last fortnight."""
    frame = pl.read_csv(data_file("worldcup98", "wc98_requests_per_minute.csv.gz"))
    return World(truth=frame["requests"].to_numpy()[-20_160:-17_280, None].astype(np.int64))


def city(*, users: int = 100_000, steps: int = 300, seed: int = 0) -> World:
    """A simulated city of 100 cells in which six of ten users report at a timestamp."""
    columns = StreamWorld(users=users, cells=100, steps=steps, activity=0.6, seed=seed).columns()
    time = columns.time.astype(np.int64)
    return World(
        truth=np.bincount(time * 100 + columns.cell, minlength=steps * 100).reshape(steps, 100).astype(np.int64),
        starts=np.searchsorted(time, np.arange(steps + 1)).astype(np.intp),
        users=columns.user.astype(np.intp),
        cells=columns.cell.astype(np.intp),
    )


WORLDS: dict[str, Callable[[], World]] = {
    "T-Drive 10 x 10": partial(tdrive, side=10),
    "T-Drive 32 x 32": partial(tdrive, side=32),
    "GeoLife": geolife,
    "Foursquare": foursquare,
    "city": city,
    "small city": partial(city, users=2_000, steps=600, seed=7),
    "WorldCup98": worldcup,
    "GeoLife by quarter of an hour": partial(geolife, minutes=15),
}

CHOSEN_ON = ("T-Drive 10 x 10", "small city")
"""The streams on which constants were looked at; the others judge them."""
