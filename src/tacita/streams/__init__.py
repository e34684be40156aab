"""Streams: who is where, published timestamp by timestamp while it goes on.

Read `protection` (who is protected, how long), `moments` and `questions` (what may be asked of one timestamp) and `sliding` (how
windows are held to the budget) first; then the mechanisms: `pace` (the default), `republishing` (Adj, MMD, MA) and `schedules`
(UNIFORM, Sample, BA).
"""
