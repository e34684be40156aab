"""A publisher that goes on until it is killed or refused: argument 1 is the ledger, argument 2 the folder for releases."""

import sys
from itertools import count
from pathlib import Path

from tacita.errors import LedgerExhaustedError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.randomness import token
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, SequenceRecords


def main() -> None:
    records = SequenceRecords.from_labels([["A", "B"]] * 50, universe=Universe("AB"), name="taps")
    ledger = Ledger(sys.argv[1], wait_seconds=120)
    name = token()[:8]
    print("ready", flush=True)  # noqa: T201
    for number in count():
        try:
            release = PrefixTree(height=2).publish(records, budget=PureDP("0.01"), ledger=ledger)
        except LedgerExhaustedError:
            break
        release.write(Path(sys.argv[2]) / f"release-{name}-{number}")


if __name__ == "__main__":
    main()
