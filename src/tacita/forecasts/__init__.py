"""What a release will keep, told before any budget is spent: every number here is about simulated data."""
