"""`warpmeter cluster`: captures to Flow Records on many machines, by Ray (docs/cluster.md).

Nothing here imports ray before a job starts, and of the package only `_main` imports this. What a node runs is the
program that the package carries: `decode` a task for each capture, `extract` a task for each partition of the flows,
`merge` at the end. A module sees only those above it here:

    words      the command line
    messages   progress, and the summary
    task       what every task on a node has: a folder of its own, one line that tells of a failure
    program    the program's commands
    crew       Ray, and tasks in flight
    store      paths and URLs; the work folder
    manifest   what of a job is done
    captures   what is read, and which captures are decoded together
    decoding   the first half of a job, and its task
    metering   the second half of a job, and its task
    output     a file, or a folder of files
    job        all of it, from the command line to the exit status

Modules of tasks keep their names: a node that has another version finds the task by them, and tells of the version.
"""
