"""A table from noisy marginals: everything behind the wall, which sees noisy and public numbers only.

Read in this order: `columns` (the noisy counts of single columns, their bins and codes, and how codes become values again),
`views` (codes in ever larger groups), `junction` (a model of all columns that agrees with noisy marginals, and rows dealt from
it), `estimates` (what several noisy answers say together).
"""
