"""The functions that measure: one module per kind of data, each function for several experiments."""
