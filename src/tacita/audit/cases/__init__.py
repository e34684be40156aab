"""Small data sets of each kind with their neighbours, for audits: `case` has the protocol, and each kind a module."""
