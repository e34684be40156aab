"""A graph from noisy answers alone. Read in this order: degrees, graphic, classes, wiring, rewiring, triangles, assembling.

Nothing in this folder sees an edge of the private graph.
"""
