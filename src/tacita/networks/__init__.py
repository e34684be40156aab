"""Networks: undirected simple graphs over public vertices, of which edges are protected."""

from tacita.registered import loaded_when_used

_HOMES = {
    "tacita.networks.blocks": ("VertexBlocks",),
    "tacita.networks.dense_regions": ("DenseRegions",),
    "tacita.networks.published": ("CutAnswer", "PublishedNetwork", "opened_network", "read_published_network"),
    "tacita.networks.reading": ("EdgeFile",),
    "tacita.networks.records": ("NetworkRecords", "no_network", "read_for_kind", "read_network"),
    "tacita.networks.shape": ("DegreeNetwork", "ShapeNetwork"),
}
"""The modules of the public names; type checkers read `__init__.pyi`, which is generated from this."""

__getattr__, __dir__ = loaded_when_used(__name__, _HOMES)
