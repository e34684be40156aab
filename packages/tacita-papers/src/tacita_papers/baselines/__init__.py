"""The methods that the papers compare with; nobody would choose one to publish data of their own.

`networks` has RandomNetwork, LaplaceNetwork, TopFilter (TmF) and DegreeGenerator (DGG); `privgraph` has PrivGraph;
`frequent_strings` has FrequentStrings (FFS); `streams` has BudgetAbsorption (BA) and BinaryTree, which run in `absorbing` and
`branching`; `subjects` says how each is audited.
"""
