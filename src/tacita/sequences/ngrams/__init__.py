"""Variable-length n-grams, one algorithm in one folder.

Read `method` (all questions and what is made of the answers, then the public parameters and the verb), `exploration` (what each
histogram costs and keeps, and the wall: which grams are asked for), then `synthesis` (behind the wall).
"""
