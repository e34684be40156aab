"""How useful a release still is, told to the owner."""
