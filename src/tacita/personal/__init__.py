"""One person's sequence: hiding sensitive patterns in it by showing less."""
