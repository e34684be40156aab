"""Exact counts of what a mechanism is about to noise. What is counted here crosses the wall with noise only."""

from tacita.counting.local import PrefixCounter, length_counts

__all__ = ["PrefixCounter", "length_counts"]
