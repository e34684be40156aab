"""Counting on one machine, on NumPy columns."""
