"""How the product's mechanisms are reduced to a size that can be audited; `subject` has the protocol."""
