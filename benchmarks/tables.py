"""Tables and attacks: speed, what publishers lose, what attackers find; on simulated censuses (UCI Adult's columns).

Prints the tables of `docs/reference/measured-tables.md`. Times are CPU seconds of this process, whoever else uses the machine.
pyCANON (`pip install pycanon`) is the peer of the checks, and anonypy (`pip install anonypy`) of Mondrian; without them their
lines are left out. The real Adult is compared with anonypy too if its file, `adult.data` of UCI, is given.

    python benchmarks/tables.py [--only speed|loss|anonypy|private|attacks|membership|peer] [--people N] [--adult FILE]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl

from tacita.attacks import Composition, Linkage, Membership, Minimality
from tacita.attacks.membership import Game
from tacita.privacy.budget import PureDP
from tacita.simulate import CensusWorld
from tacita.tables import (
    Bucketize,
    Categorical,
    CellSuppression,
    FullDomain,
    Mondrian,
    SplitScore,
    TableRecords,
    TopDown,
    declared,
    measure_table,
    parse_models,
)
from tacita.tables.mondrian import partition_rows
from tacita.tables.published import table_of_groups
from tacita.tables.verifying import verify_groups, verify_table
from tacita.utility.tables import report

ADULT = 30_162
TUNED, JUDGED = (0, 1), (10, 11, 12)
"""The seeds on which the defaults of `TopDown` were chosen, and those on which they are judged."""


def census(people: int, seed: int = 10) -> TableRecords:
    """A simulated census with its declared columns."""
    world = CensusWorld.adult(people=people, seed=seed)
    return TableRecords.from_frame(world.frame, schema=declared(world.declaration()), name="census")


def cpu(work: Callable[[], object]) -> tuple[float, object]:
    """The CPU seconds of a piece of work, and what it gave."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def peak() -> float:
    """The most memory that this process has had so far, in MB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def speed(people: int) -> None:
    """Mondrian, step by step, at growing sizes."""
    print("\n| rows | models | groups | cutting | rows and names | check | all, CPU s | peak MB |")
    print("|---|---|---|---|---|---|---|---|")
    for size in (people // 4, people // 2, people):
        records = census(size)
        for text in ("k=10", "k=10, entropy-l=3", "k=10, t=0.3"):
            models, schema = parse_models(text), records.schema
            cut, found = cpu(lambda: partition_rows(schema, records.quasi, records.sensitive, models))  # noqa: B023 - called at once
            shown, table = cpu(lambda: table_of_groups(schema, found.lows, found.highs, found.group_of, records.sensitive))  # noqa: B023
            named, frame = cpu(table.frame)
            written = [model.as_json() for model in models]
            checked, _ = cpu(lambda: verify_table(frame, records, written))  # noqa: B023 - called at once
            whole = cut + shown + named + checked
            row = f"| {size:,} | {text} | {len(found.lows):,} | {cut:.2f} | {shown + named:.2f} | {checked:.2f} | {whole:.2f} |"
            print(f"{row} {peak():,.0f} |", flush=True)


def loss() -> None:
    """What the verified publishers lose at the size of Adult."""
    print("\n| method | models | groups | rows kept | ILoss | discernibility | classification | query error, % of rows | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    records = census(ADULT)
    for text in ("k=2", "k=5", "k=10", "k=50", "k=10, l=5", "k=10, t=0.3"):
        for method in (Mondrian(models=text), FullDomain(models=text), CellSuppression(models=text)):
            seconds, table = cpu(lambda: method.anonymized(records))  # noqa: B023 - called at once
            found, useful = measure_table(records, table), report(records, table)
            figures = f"{found.groups:,} | {found.released_rows:,} | {found.iloss:.3f} | {found.discernibility:,}"
            error = f"{found.classification:.3f} | {100 * useful.absolute_error:.2f}"
            print(f"| {type(method).__name__} | {text} | {figures} | {error} | {seconds:.2f} |", flush=True)
    for least in (3, 5):
        seconds, table = cpu(lambda: Bucketize(l=least).anonymized(records))  # noqa: B023 - called at once
        useful = report(records, table)
        print(
            f"| Bucketize | l={least} | | {len(table):,} | | | | {100 * useful.absolute_error:.2f} | {seconds:.2f} |", flush=True
        )
    print(f"\nan empty release has a query error of {100 * useful.absolute_error_of_nothing:.2f} % of rows")


ADULT_COLUMNS = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
]


def adult(path: Path) -> TableRecords:
    """The real Adult without rows that miss a value, with the columns that a simulated census declares."""
    rows = [[cell.strip() for cell in line.split(",")] for line in path.read_text(encoding="ascii").splitlines() if line.strip()]
    frame = pl.DataFrame([row for row in rows if "?" not in row], schema=ADULT_COLUMNS, orient="row")
    schema = declared(CensusWorld.adult(people=10, seed=0).declaration())
    return TableRecords.from_frame(frame, schema=schema, name="adult")


def some_of(records: TableRecords, rows: int) -> TableRecords:
    """So many rows by chance, with a public seed."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(records))[:rows])
    quasi = tuple(codes[chosen] for codes in records.quasi)
    return TableRecords(schema=records.schema, quasi=quasi, sensitive=records.sensitive_codes("a sample")[chosen])


def certainty(sizes: np.ndarray, widths: np.ndarray, domains: np.ndarray, *, raw: int) -> tuple[float, int]:
    """The normalized certainty penalty, 0 for raw values and 1 for nothing, and discernibility; who is left out loses all."""
    missing = raw - int(sizes.sum())
    lost = ((widths - 1) / (domains - 1)).mean(axis=1)
    return (float((lost * sizes).sum()) + missing) / raw, int((sizes**2).sum()) + missing * raw


def by_anonypy(records: TableRecords, k: int) -> tuple[float, tuple[float, int], int]:
    """CPU seconds, figures and the number of groups of anonypy, which shows sets of labels and the ends of numbers."""
    import pandas as pd  # noqa: PLC0415 - optional
    from anonypy.mondrian import Mondrian as Theirs  # noqa: PLC0415 - optional

    columns = records.schema.quasi
    frame = pd.DataFrame({column.name: codes for column, codes in zip(columns, records.quasi, strict=True)})
    for column in columns:
        if isinstance(column, Categorical):
            frame[column.name] = frame[column.name].astype("category")
    seconds, groups = cpu(lambda: Theirs(frame, list(frame.columns)).partition(k))
    spread = lambda column, own: own.nunique() if isinstance(column, Categorical) else int(own.max()) - int(own.min()) + 1  # noqa: E731
    widths = np.array([[spread(column, frame[column.name][group]) for column in columns] for group in groups])
    sizes, domains = np.array([len(group) for group in groups]), np.array(records.schema.sizes)
    return seconds, certainty(sizes, widths, domains, raw=len(records)), len(groups)


def anonypy(path: Path | None) -> None:
    """Verified publishers beside anonypy, on censuses and on the real Adult."""
    tables = {"census, 5,000 rows": census(5_000), "census": census(ADULT)}
    if path is not None:
        real = adult(path)
        tables |= {"Adult, 5,000 rows": some_of(real, 5_000), "Adult": real}
    has_peer = find_spec("anonypy") is not None
    print("\n| table | k | method | groups | NCP | discernibility | CPU s |\n|---|---|---|---|---|---|---|")
    for name, records in tables.items():
        domains = np.array(records.schema.sizes)
        for k in (5, 10, 50):
            for method in (Mondrian(models=f"k={k}"), FullDomain(models=f"k={k}"), CellSuppression(models=f"k={k}")):
                seconds, table = cpu(lambda: method.anonymized(records))  # noqa: B023 - called at once
                widths = np.stack([table.widths(place) for place in range(domains.size)], axis=1)
                loss, alike = certainty(table.sizes, widths, domains, raw=len(records))
                row = (
                    f"| {name} | {k} | {type(method).__name__} | {len(table.sizes):,} | {loss:.4f} | {alike:,} | {seconds:.2f} |"
                )
                print(row, flush=True)
            if has_peer:
                seconds, (loss, alike), groups = by_anonypy(records, k)
                print(f"| {name} | {k} | anonypy | {groups:,} | {loss:.4f} | {alike:,} | {seconds:.2f} |", flush=True)


def private() -> None:
    """Top-down partitioning on censuses that had no part in choosing its defaults."""
    print("\n| rows | epsilon | score | released rows | query error, % of rows | relative | nothing |")
    print("|---|---|---|---|---|---|---|")
    for people in (3_000, ADULT, 300_000):
        for epsilon in ("0.1", "1"):
            for score in SplitScore:
                found = []
                for seed in JUDGED:
                    records = census(people, seed)
                    data = TopDown(score=score).publish(records, budget=PureDP(epsilon)).data
                    useful = report(records, data)
                    errors = (useful.absolute_error, useful.relative_error, useful.absolute_error_of_nothing)
                    found.append((len(data) / people, *errors))
                kept, error, relative, nothing = np.mean(found, axis=0)
                row = f"| {people:,} | {epsilon} | {score} | {kept:.2f} | {100 * error:.2f} | {relative:.2f} |"
                print(f"{row} {100 * nothing:.2f} |", flush=True)


def attacks(people: int) -> None:
    """What attackers find in raw and published censuses."""
    records = census(ADULT)
    mondrian, domain = Mondrian(models="k=10, l=3").anonymized(records), FullDomain(models="k=10, l=3").anonymized(records)
    buckets = Bucketize(l=5).anonymized(records)
    sides = {"raw": None, "Mondrian k=10, l=3": mondrian, "FullDomain k=10, l=3": domain, "Bucketize l=5": buckets}
    print("\n| table | known columns | singled out, worst | singled out, random | highest confidence | mean of highest | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for known in (2, 3, None):
        for name, side in sides.items():
            seconds, found = cpu(lambda: Linkage(known=known).assess(records, side))  # noqa: B023 - called at once
            people_out = f"{found['people singled out, worst set']:.4f} | {found['people singled out, random set']:.4f}"
            sure = f"{found['highest confidence in a sensitive value']:.3f}"
            mean = f"{found['mean over people of their highest confidence']:.3f}"
            print(f"| {name} | {known or 'all'} | {people_out} | {sure} | {mean} | {seconds:.2f} |", flush=True)
    print(f"\n{Composition().assess(records, mondrian, domain)}")
    bounded = Mondrian(models="confidence=0.5").anonymized(records)
    print(f"\nMondrian with confidence=0.5 and no k\n{Minimality(k=1, bound=Fraction(1, 2)).assess(records, bounded)}")
    large = census(people)
    seconds, _ = cpu(lambda: Linkage(known=3).assess(large))
    print(f"\nexact linkage, up to 3 of 7 columns, raw, {people:,} rows: {seconds:.2f} CPU s", flush=True)


def membership() -> None:
    """The plain attack on membership, against the bound."""
    print("\n| epsilon | true alarms | false alarms | advantage | 95 % interval | bound |\n|---|---|---|---|---|---|")
    within = census(400, seed=10)
    without = TableRecords(
        schema=within.schema, quasi=tuple(codes[:-1] for codes in within.quasi), sensitive=within.sensitive_codes("a game")[:-1]
    )
    target = [int(codes[-1]) for codes in within.quasi], int(within.sensitive_codes("a game")[-1])

    def near(table: object) -> float:
        lows, highs = table.lows, table.highs
        inside = np.all((lows <= np.array(target[0])) & (np.array(target[0]) < highs), axis=1)
        return float(np.count_nonzero(inside[table.groups] & (table.sensitive == target[1])))

    for epsilon in ("0.5", "1", "2", "4"):
        budget = PureDP(epsilon)
        game = Game(
            without=without,
            within=within,
            publish=lambda records, budget=budget: TopDown(splits=2).publish(records, budget=budget).data,
            statistic=near,
        )
        found = {figure.name: figure for figure in Membership(runs=1000).assess(game, budget=budget).figures}
        advantage = found["advantage"]
        alarms = f"{found['true alarms'].value:.3f} | {found['false alarms'].value:.3f}"
        interval = f"{advantage.low:.3f} to {advantage.high:.3f}"
        print(f"| {epsilon} | {alarms} | {advantage.value:.3f} | {interval} | {advantage.bound:.3f} |", flush=True)


def peer() -> None:
    """Both from the same named rows, which have to be grouped first: pyCANON finds the level, ours decides one, exactly."""
    if find_spec("pycanon") is None:
        print("\npyCANON is not installed, so nothing is compared with it: pip install pycanon")
        return
    import pandas as pd  # noqa: PLC0415 - optional
    from pycanon import anonymity  # noqa: PLC0415 - optional

    records = census(ADULT)
    rows = Mondrian(models="k=10, l=3").anonymized(records).frame()
    frame = pd.DataFrame(rows.to_dict(as_series=False))
    quasi, hidden = [column.name for column in records.schema.quasi], "occupation"
    print("\n| check | ours, CPU s | pyCANON, CPU s | ratio |\n|---|---|---|---|")
    works = {
        "k=10": lambda: anonymity.k_anonymity(frame, quasi),
        "l=3": lambda: anonymity.l_diversity(frame, quasi, [hidden]),
        "entropy-l=1": lambda: anonymity.entropy_l_diversity(frame, quasi, [hidden]),
        "t=1": lambda: anonymity.t_closeness(frame, quasi, [hidden]),
    }
    for text, theirs in works.items():
        written = [model.as_json() for model in parse_models(text)]
        ours_s = min(cpu(lambda: verify_groups(rows, alike=quasi, sensitive=hidden, models=written))[0] for _ in range(3))  # noqa: B023
        theirs_s = min(cpu(theirs)[0] for _ in range(3))
        print(f"| {text} | {ours_s:.3f} | {theirs_s:.2f} | {theirs_s / ours_s:,.1f} |", flush=True)


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("speed", "loss", "anonypy", "private", "attacks", "membership", "peer"))
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--adult", type=Path, help="adult.data of UCI")
    options = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "speed": lambda: speed(options.people),
        "loss": loss,
        "anonypy": lambda: anonypy(options.adult),
        "private": private,
        "attacks": lambda: attacks(options.people),
        "membership": membership,
        "peer": peer,
    }
    for name, part in parts.items():
        if options.only in {None, name}:
            part()


if __name__ == "__main__":
    main()
