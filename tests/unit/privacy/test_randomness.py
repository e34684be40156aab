from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from sources import ScriptedSource
from tacita.privacy.enclosure import exp_minus, odds
from tacita.privacy.randomness import Bernoulli, BernoulliTable, SecureSource, describe, is_private, token, uniform_below
from tacita.testing import SeededSource

RATES = [Fraction(3, 10), Fraction(1, 12), Fraction(7), Fraction(1, 1000)]


@pytest.mark.parametrize("rate", RATES)
def test_a_first_byte_decides_all_but_the_one_value_that_the_probability_falls_on(rate):
    event = Bernoulli(odds(exp_minus(rate)))
    low, high = event.bounds(8)
    assert high - low == 1
    script = ScriptedSource(bytes(range(256)) + (0).to_bytes(2, "little"))
    happened = BernoulliTable([[event]]).decide(np.zeros(256, dtype=np.intp), script)[0]
    assert happened[:low].all()
    assert not happened[high:].any()
    assert script.position == 258


@pytest.mark.parametrize("rate", RATES)
def test_all_24_bit_words_are_decided_as_the_probability_says(rate):
    event = Bernoulli(odds(exp_minus(rate)))
    (byte, _), (low, high) = event.bounds(8), event.bounds(24)
    elements = 65536
    words = bytes([byte]) * elements + np.arange(elements, dtype="<u2").tobytes() + bytes([255]) * 8
    happened = BernoulliTable([[event]]).decide(np.zeros(elements, dtype=np.intp), ScriptedSource(words))[0]
    assert high - low == 1
    assert happened.sum() == low - (byte << 16)
    assert happened[: low - (byte << 16)].all()


def test_a_tie_is_refined_until_it_is_decided():
    event = Bernoulli(exp_minus(Fraction(1)))
    bits = event.bounds(192)[0].to_bytes(24, "big")
    exactly_below = [bits[0:8], bits[8:16], bits[16:24]]
    script = b"".join(part[::-1] for part in exactly_below) + (0).to_bytes(8, "little")
    source = ScriptedSource(script)
    event.draw(source)
    assert source.position > 16, "two words that agree with the probability decide nothing"


def test_each_element_follows_its_own_law():
    events = [[Bernoulli(exp_minus(Fraction(1, 100))), Bernoulli(exp_minus(Fraction(5)))]]
    which = np.arange(20_000) % 2
    happened = BernoulliTable(events).decide(which.astype(np.intp), SeededSource(1))[0]
    assert happened[which == 0].mean() == pytest.approx(0.990, abs=0.005)
    assert happened[which == 1].mean() == pytest.approx(0.0067, abs=0.004)


def test_integers_below_a_bound_are_uniform_and_never_reach_it():
    source = SeededSource(2)
    seen = Counter(uniform_below(5, source) for _ in range(10_000))
    assert set(seen) == set(range(5))
    assert max(seen.values()) - min(seen.values()) < 300
    assert uniform_below(1, source) == 0


def test_only_the_operating_system_counts_as_private_whatever_a_source_says():
    class Boaster(SecureSource):
        """Claims to be secure by descent."""

    assert is_private(SecureSource())
    assert not is_private(Boaster())
    assert "not a private source" in describe(SeededSource(0))


@pytest.mark.entropy
def test_the_secure_source_does_not_repeat_itself():
    assert SecureSource().take(32) != SecureSource().take(32)
    assert token() != token()
