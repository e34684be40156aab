"""The experiments as data, one module per paper or chapter."""
