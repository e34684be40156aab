"""How the mechanisms of the product are cut to a size that can be audited; `subject` has the protocol."""
