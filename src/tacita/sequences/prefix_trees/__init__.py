"""Noisy prefix trees, simple and hybrid.

Read `method` (public parameters and the verb), then `growth` (what each level costs and keeps, and the wall: which prefixes are
asked for). `tacita.trees` turns the noisy tree into sequences.
"""
