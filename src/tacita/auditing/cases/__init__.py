"""Small data sets of each kind with their neighbours, and how mechanisms are reduced to them, for audits.

`case` has the protocols; each kind whose methods are private has a module, and `verified` has those whose releases are
verified.
"""
