"""Networks: undirected simple graphs over public vertices."""
