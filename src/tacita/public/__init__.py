"""Public knowledge: everything that must be fixed without a look at the data, and is known to whoever receives a release.

Read `universe` (the labels that may occur) first, then `taxonomy` (a tree over them), `time_grid` (intervals of time) and
`ladder` (in how many questions a symbol is found). `inputs` bundles them for a mechanism. Nothing here sees a record.
"""
