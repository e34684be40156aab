"""What this package registers with Tacita through the entry points of `tacita.methods`. Light: nothing heavy is imported."""

from __future__ import annotations

from tacita.kinds import Method, Option
from tacita.kinds.networks import CORRELATED_EDGES
from tacita.kinds.sequences import MAX_NODES, THRESHOLD
from tacita.kinds.streams import CONTEXTS, PRESENCE

__all__ = ["ABSORPTION", "DGG", "FFS", "LAPLACE", "PRIVGRAPH", "RANDOM", "TMF", "TREE"]

FFS = Method(
    name="ffs",
    kind="sequences",
    loads="tacita_papers.baselines.frequent_strings:FrequentStrings",
    audited="tacita_papers.baselines.subjects:Strings",
    keeps="frequent beginnings of one length only; a baseline",
    options=(
        Option(field_name="length", convert=int, metavar="N", help="publish beginnings of exactly N symbols"),
        THRESHOLD,
        MAX_NODES,
    ),
)

RANDOM = Method(
    name="random",
    kind="networks",
    loads="tacita_papers.baselines.networks:RandomNetwork",
    audited="tacita_papers.baselines.subjects:RandomGraphs",
    keeps="the number of edges only; a baseline",
    options=(CORRELATED_EDGES,),
)

LAPLACE = Method(
    name="laplace",
    kind="networks",
    loads="tacita_papers.baselines.networks:LaplaceNetwork",
    audited="tacita_papers.baselines.subjects:NoisyMatrices",
    keeps="next to nothing; a baseline",
    options=(CORRELATED_EDGES,),
)

TMF = Method(
    name="tmf",
    kind="networks",
    loads="tacita_papers.baselines.networks:TopFilter",
    audited="tacita_papers.baselines.subjects:TopFilters",
    keeps="some edges, if epsilon is far above 1; a baseline",
    options=(CORRELATED_EDGES,),
)

DGG = Method(
    name="dgg",
    kind="networks",
    loads="tacita_papers.baselines.networks:DegreeGenerator",
    audited="tacita_papers.baselines.subjects:Generators",
    keeps="degrees, roughly; a baseline",
    options=(CORRELATED_EDGES,),
)

PRIVGRAPH = Method(
    name="privgraph",
    kind="networks",
    loads="tacita_papers.baselines.privgraph:PrivGraph",
    audited="tacita_papers.baselines.subjects:PrivGraphs",
    keeps="communities, and degrees inside them; a baseline",
    options=(CORRELATED_EDGES,),
)

ABSORPTION = Method(
    name="absorption",
    kind="streams",
    loads="tacita_papers.baselines.streams:BudgetAbsorption",
    keeps="the counts at timestamps that differ, with the shares of those that did not; presence is private",
    options=(CONTEXTS, PRESENCE),
    audited="tacita_papers.baselines.subjects:absorptions",
)

TREE = Method(
    name="tree",
    kind="streams",
    loads="tacita_papers.baselines.streams:BinaryTree",
    keeps="running totals of the counts, with an error that hardly grows with time",
    options=(
        CONTEXTS,
        PRESENCE,
        Option(
            field_name="span",
            convert=int,
            metavar="N",
            help="how many timestamps a tree covers before the next begins, a power of two",
        ),
    ),
    audited="tacita_papers.baselines.subjects:trees",
)
