"""Algorithms exactly as the papers print them. NOT PRIVATE: no method of Tacita uses them, and no command publishes with them.

Each stands here because `tacita reproduce` asks whether a claim that the corrected method does not meet was ever met by the
printed one. Where the print is one of the product's methods with other public constants, the runners set those instead.
"""
