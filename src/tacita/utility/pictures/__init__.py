"""What an owner sees of a release beside the raw data, one module per kind. Everything here is for the owner's eyes only.

The shapes are in `tacita.pictures`; what is drawn of a kind without raw data is in its own room (`sequences.pictures`, ...), so
that a page for the recipient cannot show a raw figure.
"""
