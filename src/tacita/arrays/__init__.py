"""Plain integer arrays: ragged lists, sets, combinations, projection onto a simplex, deterministic mixing.

Nothing here decides about privacy or reads a file; every other room builds on it.
"""
