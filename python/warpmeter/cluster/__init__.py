"""`warpmeter cluster`: captures to Flow Records on many machines, by Ray (docs/cluster.md).

Nothing here imports ray before a job starts, and of the package only `_main` imports this. What a node runs is the
program that the package carries: `decode` a task for each capture, `extract` a task for each partition of the flows,
`merge` at the end.
"""
