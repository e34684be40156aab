"""pace: all of the budget goes into measurements, and what is published between and behind them is free.

Read `running` (when to measure, whom to count) first; then `bank` (the filters, how often to measure, and from estimates to
whole counts) and `levels` (how many cells are small and large, and means that add up).
`running.smoothed` goes over a stream that has ended once more. Only `running` asks anything of private data.
"""
