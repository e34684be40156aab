"""The wall: what a reviewer of the guarantees reads.

In this order: `budget` (exact costs and plans), `randomness`, `enclosure` and `noise` (exact sampling), `selection`, `questions`
(what may be asked of private data, each question with its law), `account` and `paths` (every answer is planned and paid for),
`ledger` (what was spent, durably), `guarantee` and `release` (what is promised, and what leaves the house).
"""
