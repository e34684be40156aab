"""The lints of our own can fail."""

import ast
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from entropy_lint import findings, main


@pytest.mark.parametrize(
    "code",
    [
        "import random",
        "import secrets",
        "from os import urandom",
        "import os\nos.urandom(8)",
        "import numpy as np\nnp.random.default_rng()",
        "from numpy.random import default_rng",
        "from numpy import random",
        "import uuid",
        "import random as dice",
    ],
)
def test_entropy_is_found_however_it_is_reached(code):
    assert list(findings(ast.parse(code)))


def test_other_code_is_let_through():
    assert not list(
        findings(ast.parse("import os\nfrom tacita.privacy.randomness import SecureSource\nos.fsync(1)\nrandomness = 3"))
    )


def test_the_source_is_clean():
    assert main() == 0
