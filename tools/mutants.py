"""Break the code on purpose, one privacy mistake at a time, and check that a test notices each.

A mutant is a piece of source, its replacement, why that is a breach, and the tests that should fail. The lists are the modules
of `tests/mutants`, one for each part of the library; a new mutant is one entry. Every mutant is applied to a copy of the tree,
its tests run there, and the piece is restored. A mutant that no test notices survives, and the run fails.

    python tools/mutants.py                 all of them
    python tools/mutants.py --only ngram    those whose file or reason contains this word
    python tools/mutants.py --check         only check that every piece of source occurs exactly once; runs no test
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LISTS = ROOT / "tests" / "mutants"
COPIED = ("src", "tests", "tools", "pyproject.toml")
SECONDS = 300
"""How much CPU time the tests of one mutant may take; sound code must need at most a fifth of it, so that a mutant that hangs is
not confused with a busy machine."""

_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """One mistake: in `file` below src/tacita, `old` becomes `new`; `tests` are arguments of pytest, some of which must fail."""

    file: str
    old: str
    new: str
    why: str
    tests: tuple[str, ...]

    @property
    def problem(self) -> str:
        """Why the mutant cannot be made, if it cannot."""
        path = ROOT / "src" / "tacita" / self.file
        times = path.read_text(encoding="utf-8").count(self.old) if path.is_file() else 0
        if times != 1:
            return f"{self.file} holds it {times} times, not once: {self.old!r}"
        if any("=" in word for word in self.tests):
            return f"{self.file}: a name that tests are chosen by cannot hold an equals sign: {' '.join(self.tests)}"
        missing = [word for word in self.tests if word.startswith("tests/") and not (ROOT / word.split("::")[0]).exists()]
        return f"{self.file}: no such tests: {', '.join(missing)}" if missing else ""


def mutants() -> list[Mutant]:
    """All mutants of all lists."""
    found: list[Mutant] = []
    for path in sorted(LISTS.glob("*.py")):
        spec = spec_from_file_location(f"mutants_of_{path.stem}", path)
        if spec is None or spec.loader is None:
            continue
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        found += [Mutant(*entry) for entry in module.MUTANTS]
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants; 1 if one survives or cannot be made."""
    parser = argparse.ArgumentParser(description="apply privacy mutants one by one and report which test notices each")
    parser.add_argument("--only", default="", metavar="WORD", help="only those whose file or reason contains this word")
    parser.add_argument("--check", action="store_true", help="only check that every piece of source occurs exactly once")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many at a time (1)")
    options = parser.parse_args(arguments)
    chosen = [mutant for mutant in mutants() if options.only in f"{mutant.file} {mutant.why}"]
    problems = [mutant.problem for mutant in chosen if mutant.problem]
    for problem in problems:
        print(f"CANNOT BE MADE  {problem}")
    if problems or options.check:
        print(f"{len(chosen) - len(problems)} of {len(chosen)} mutants can be made")
        return int(bool(problems))
    began = time.monotonic()
    survivors = sum(not noticed for noticed in _run_all(chosen, jobs=options.jobs))
    print(f"{len(chosen) - survivors} of {len(chosen)} mutants noticed, {survivors} survived, {time.monotonic() - began:,.0f} s")
    return int(bool(survivors))


def _run_all(chosen: list[Mutant], *, jobs: int) -> Iterator[bool]:
    """Run the mutants in as many copies of the tree as there are jobs."""
    copies: SimpleQueue[Path] = SimpleQueue()
    sound: set[tuple[str, ...]] = set()
    with TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        for job in range(jobs):
            copies.put(_copy(Path(folder) / str(job)))

        def run(mutant: Mutant) -> tuple[Mutant, str, float]:
            copy, began = copies.get(), time.monotonic()
            try:
                if mutant.tests not in sound:
                    _require_sound(mutant.tests, copy)
                    sound.add(mutant.tests)
                with _applied(mutant, copy):
                    return mutant, _failure(mutant.tests, copy), time.monotonic() - began
            finally:
                copies.put(copy)

        for mutant, test, seconds in pool.map(run, chosen):
            verdict = f"noticed by {test}" if test else "SURVIVED"
            print(f"{'ok      ' if test else 'SURVIVED'} {seconds:4.0f} s  {mutant.file}: {mutant.why}; {verdict}", flush=True)
            yield bool(test)


def _copy(folder: Path) -> Path:
    folder.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        else:
            shutil.copy(source, folder / name)
    return folder


@contextmanager
def _applied(mutant: Mutant, copy: Path) -> Iterator[None]:
    path = copy / "src" / "tacita" / mutant.file
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(whole, encoding="utf-8")


def _require_sound(tests: tuple[str, ...], copy: Path) -> None:
    """Refuse tests that fail anyway, or barely end in time: they would notice nothing."""
    failure = _failure(tests, copy, seconds=SECONDS // 5)
    if failure:
        message = f"the tests {' '.join(tests)} fail on the code as it is: {failure}"
        raise SystemExit(message)


def _failure(tests: tuple[str, ...], copy: Path, *, seconds: int = SECONDS) -> str:
    """The first test that fails, if any."""
    environment = os.environ | {"PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy / 'tests'}", "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:randomly", "-p", "no:cacheprovider", "--tb=no", *tests]
    done = subprocess.run(  # noqa: S603 - the tests of this repository
        ["/bin/sh", "-c", f'ulimit -t {seconds}; exec "$@"', "sh", *words],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
        return f"the clock: more than {seconds} s of CPU"
    found = _FAILED.search(done.stdout)
    if done.returncode and not found:
        message = f"the tests {' '.join(tests)} cannot run, code {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
        raise SystemExit(message)
    return found.group(1) if found else ""


if __name__ == "__main__":
    sys.exit(main())
