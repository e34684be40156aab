"""Public knowledge: everything that must be fixed without looking at the data, and that the recipient of a release may know.

Read `universe` (the labels that may occur) first, then `taxonomy` (a tree over them), `time_grid` (intervals of time),
`steps` (what a step of a sequence is) and `ladder` (the questions that find a symbol step by step). `inputs` bundles them
for a mechanism; `parameters` has the checks that all of them share. Nothing here sees a record.
"""
