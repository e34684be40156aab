"""Columns of integers without a meaning of their own: lists of lists, sets, combinations, simplices, fixed mixing.

No privacy is decided here and no file is read; everything above uses it.
"""
