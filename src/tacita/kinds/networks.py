"""Networks: who knows, calls, or works with whom; undirected edges between public vertices."""

from __future__ import annotations

from tacita.formats import Holds, formats_of
from tacita.kinds.options import UNIVERSE
from tacita.kinds.registration import Kind, Method, Option

__all__ = ["CORRELATED_EDGES", "KIND"]

CORRELATED_EDGES = Option(
    field_name="correlated_edges",
    convert=int,
    metavar="K",
    help="protect groups of up to K edges that come and go together, such as a family's contacts, as one",
)

SHAPE = Method(
    name="shape",
    kind="networks",
    loads="tacita.networks:ShapeNetwork",
    audited="tacita.auditing.cases.networks:Shapes",
    keeps="degrees, cuts, who meets whom, and the number of triangles",
    options=(
        CORRELATED_EDGES,
        Option(field_name="triangles", switch=True, help="count triangles too, and rewire until there are as many"),
        Option(
            field_name="communities",
            switch=True,
            help="look for communities, for a third of epsilon, and close triangles inside them if noisy answers say that they "
            "are there",
        ),
    ),
)

DEGREE = Method(
    name="degree",
    kind="networks",
    loads="tacita.networks:DegreeNetwork",
    audited="tacita.auditing.cases.networks:Degrees",
    keeps="the degree of each vertex, and so cuts",
    options=(CORRELATED_EDGES,),
)

DER = Method(
    name="der",
    kind="networks",
    loads="tacita.networks:DenseRegions",
    audited="tacita.auditing.cases.networks:Regions",
    keeps="dense regions of the adjacency matrix, if the order of the vertices shows them",
    options=(
        CORRELATED_EDGES,
        Option(field_name="grid", convert=int, metavar="N", help="choose splits of regions on a grid of N by N"),
        Option(field_name="density", metavar="SHARE", help="stop at regions with this share of all possible edges"),
    ),
)

KIND = Kind(
    name="networks",
    noun="edge",
    about="who knows whom: undirected edges between public vertices",
    rows_are_records=True,
    whole="a network",
    pieces="edges",
    records_have_lengths=False,
    public_options=(
        UNIVERSE,
        Option(
            field_name="blocks",
            metavar="FILE|N",
            help="public blocks of vertices that shape may use: a .csv with vertex and block, or N ranges of the universe",
        ),
        Option(
            field_name="sides",
            metavar="FILE|COLUMN",
            help="two public sides between which all edges lead, such as users and films: a .csv with vertex and side, or a "
            "column of the universe's .csv; edges inside a side are dropped",
        ),
    ),
    inputs="tacita.networks.records:network_inputs",
    reading_options=(
        Option(
            field_name="edge_format",
            choices=tuple(
                known.name for known in sorted(formats_of(Holds.EDGES, Holds.PAIRS), key=lambda known: not known.is_text)
            ),
            help="the format, if the file's ending does not show it",
        ),
        Option(field_name="source", metavar="COLUMN", help="the column with one end of each edge; the first if not given"),
        Option(field_name="target", metavar="COLUMN", help="the column with the other end; the second if not given"),
        Option(field_name="separator", metavar="CHARACTER", help="what stands between columns: one character, tab or space"),
        Option(field_name="comment", metavar="PREFIX", help="skip lines that begin with this"),
        Option(field_name="encoding", metavar="NAME", help="the encoding of the text"),
        Option(field_name="strict", switch=True, help="refuse labels outside the universe instead of dropping them"),
    ),
    reading="tacita.networks.records:network_reading",
    read="tacita.networks:read_for_kind",
    nobody="tacita.networks:no_network",
    output_format="tacita.networks.records:network_output_format",
    observed="tacita.networks.records:observed_network",
    opened="tacita.networks:opened_network",
    reported="tacita.utility.networks:sections",
    answered="tacita.networks.published:NetworkAnswers",
    judged="tacita.utility.networks:judged",
    drawn="tacita.utility.networks:pictures",
    floors="tacita.utility.networks.cuts:standing",
    sections={"networks": "the network"},
    evaluation="tacita-evaluate-networks-1",
    forecast="tacita.forecasts.networks:forecast_request",
    attacked="tacita.attacks.membership:on_networks",
    case="tacita.auditing.cases.networks:NetworkCase",
    worlds=("network", "stm-network"),
    example=("--method", "shape", "--epsilon", "1"),
    methods=(SHAPE, DEGREE, DER),
)
