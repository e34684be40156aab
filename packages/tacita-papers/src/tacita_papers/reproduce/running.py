"""Run experiments, each in a process of its own, and keep what is finished.

A results folder has for each experiment `ID.csv` (the rows), `ID.json` (how it was run, its verdict and the reasons) and
`ID.svg`. Rows that are there are not measured again unless they came from a quick run and a full one is asked for, or the
experiment has changed since; verdicts and pictures are always computed anew.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

from tacita.errors import OutputError, TacitaError
from tacita_papers.reproduce.catalogue import experiments
from tacita_papers.reproduce.experiment import Experiment, Row, Scale, read_rows, rows_as_text
from tacita_papers.reproduce.verdicts import Judgement, Verdict, judge, overall

__all__ = ["Outcome", "judged", "outcomes", "run_experiments", "write_outcome", "write_whole"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A finished experiment: its rows, how they were measured, and what follows from them."""

    experiment: Experiment
    rows: tuple[Row, ...]
    quick: bool
    processor_seconds: float
    commit: str
    fingerprint: str
    judgements: tuple[Judgement, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict over all claims."""
        return overall(self.judgements)

    @property
    def is_current(self) -> bool:
        """Whether the experiment is still the one that was measured."""
        return self.fingerprint == self.experiment.fingerprint(Scale(quick=self.quick))

    def as_json(self) -> dict[str, object]:
        """The file beside the rows."""
        return {
            "id": self.experiment.id,
            "verdict": str(self.verdict),
            "quick": self.quick,
            "claims": [asdict(each) | {"real": each.is_real} for each in self.judgements],
            "processor_seconds": round(self.processor_seconds, 1),
            "fingerprint": self.fingerprint,
            "version": version("tacita"),
            "commit": self.commit,
        }


def judged(experiment: Experiment, rows: Sequence[Row]) -> tuple[Judgement, ...]:
    """The judgement of every claim on each of its data sets."""
    return tuple(each for claim in experiment.claims for each in judge(claim, rows, experiment.published))


def run_experiments(
    wanted: Sequence[Experiment],
    folder: Path,
    *,
    quick: bool = False,
    again: bool = False,
    jobs: int | None = None,
    told: Callable[[int, int, str], None] = lambda _done, _all, _text: None,
) -> list[str]:
    """Measure what is missing, several at a time; `told` hears of each that is done. Gives back what went wrong, by id."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the results cannot be written to {str(folder)!r}: {error.strerror or error}"
        raise OutputError(message) from None
    missing = [each for each in wanted if again or not _is_done(each, folder, quick=quick)]
    done, troubles = len(wanted) - len(missing), []
    told(done, len(wanted), "")
    with closing(_measured(missing, folder, quick=quick, jobs=jobs)) as measured:  # closed at once if `told` raises
        for finished in measured:
            if finished is None:
                told(done, len(wanted), "")
                continue
            identifier, trouble = finished
            done += 1
            if trouble:
                troubles.append(f"{identifier}: {trouble}")
            told(done, len(wanted), f"{identifier}: {trouble or _sentence(identifier, folder)}")
    return troubles


def _measured(
    missing: Sequence[Experiment], folder: Path, *, quick: bool, jobs: int | None
) -> Generator[tuple[str, str] | None, None, None]:
    """Each finished experiment with its trouble, if any, and None now and then, so that an interruption is noticed."""
    workers = min(jobs or os.cpu_count() or 1, max(len(missing), 1))
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), max_tasks_per_child=1)
    names = {pool.submit(_one, each.id, str(folder), quick): each.id for each in missing}
    waiting = set(names)
    try:
        while waiting:
            finished, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
            yield from ((names[future], _trouble(future)) for future in finished)
            yield None
    finally:  # also when interrupted: what has begun ends with its process, what has not is dropped
        for process in list((pool._processes or {}).values()) if waiting else ():  # noqa: SLF001 - no public way to stop workers
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _trouble(future: Future[None]) -> str:
    """Why an experiment failed, in a sentence; nothing if it did not. One that fails must not cost the others."""
    error = future.exception()
    return "" if error is None else str(error) if isinstance(error, TacitaError) else f"{type(error).__name__}: {error}"


def _one(identifier: str, folder: str, quick: bool) -> None:  # noqa: FBT001 - passed by position between processes
    """Measure one experiment and write its rows."""
    experiment, scale = experiments()[identifier], Scale(quick=quick)
    start, commit = time.process_time(), _commit()
    rows = experiment.measure(scale)
    _write(experiment, rows, Path(folder), quick=quick, seconds=time.process_time() - start, commit=commit)


def _write(experiment: Experiment, rows: Sequence[Row], folder: Path, *, quick: bool, seconds: float, commit: str) -> None:
    outcome = Outcome(
        experiment=experiment,
        rows=tuple(rows),
        quick=quick,
        processor_seconds=seconds,
        commit=commit,
        fingerprint=experiment.fingerprint(Scale(quick=quick)),
        judgements=judged(experiment, rows),
    )
    (folder / f"{experiment.id}.json").unlink(missing_ok=True)
    write_whole(folder / f"{experiment.id}.csv", rows_as_text(rows))
    write_outcome(outcome, folder)


def _commit() -> str:
    """The commit of this code, with a plus if files differ from it; nothing outside a repository."""
    here = Path(__file__).parent
    try:
        found = [
            subprocess.run(["git", *words], cwd=here, capture_output=True, text=True, check=True, timeout=60).stdout.strip()  # noqa: S603, S607
            for words in (["rev-parse", "--short=10", "HEAD"], ["status", "--porcelain", "--untracked-files=no", "--", ":/*.py"])
        ]
    except (OSError, subprocess.SubprocessError):
        return ""
    return found[0] + ("+" if found[1] else "")


def write_outcome(outcome: Outcome, folder: Path) -> None:
    """Write the verdict and its reasons beside the rows."""
    write_whole(folder / f"{outcome.experiment.id}.json", json.dumps(outcome.as_json(), indent=1) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all, over an older one."""
    draft = path.with_name(f".{path.name}.partial")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        message = f"the result cannot be written to {str(path)!r}: {error.strerror or error}"
        raise OutputError(message) from None


def _is_done(experiment: Experiment, folder: Path, *, quick: bool) -> bool:
    found = _stamp(experiment, folder)
    if found is None or (found["quick"] and not quick):
        return False
    return bool(found["fingerprint"] == experiment.fingerprint(Scale(quick=bool(found["quick"]))))


def _stamp(experiment: Experiment, folder: Path) -> dict[str, object] | None:
    try:
        found: dict[str, object] = json.loads((folder / f"{experiment.id}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if (folder / f"{experiment.id}.csv").is_file() and {"quick", "fingerprint"} <= set(found) else None


def outcomes(wanted: Sequence[Experiment], folder: Path) -> list[Outcome]:
    """What is finished, judged by the claims as they are now."""
    found = []
    for experiment in wanted:
        stamp = _stamp(experiment, folder)
        if stamp is None:
            continue
        rows = read_rows(folder / f"{experiment.id}.csv")
        seconds = stamp.get("processor_seconds", 0.0)
        found.append(
            Outcome(
                experiment=experiment,
                rows=tuple(rows),
                quick=bool(stamp["quick"]),
                processor_seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
                commit=str(stamp.get("commit", "")),
                fingerprint=str(stamp["fingerprint"]),
                judgements=judged(experiment, rows),
            )
        )
    return found


def _sentence(identifier: str, folder: Path) -> str:
    (outcome,) = outcomes([experiments()[identifier]], folder)
    return f"{outcome.verdict}, {outcome.processor_seconds:.0f} s of processor time"
