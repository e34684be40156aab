"""The wall: the code that a reviewer of the guarantees has to read.

In this order: `budget` (exact costs and plans), `randomness`, `enclosure` and `noise` (exact sampling), `questions` (what may
be asked of private data, each question with its law), `account` and `paths` (every answer is planned and paid for), `ledger` (a
durable record of what was spent), `guarantee` and `release` (what is promised, and what may be published).
"""
