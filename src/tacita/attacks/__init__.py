"""Attacks on raw and published data: what somebody who knows a little learns. For the owner's eyes only."""
