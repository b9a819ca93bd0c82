"""Rewrites and renames: `kinds` decides which one a request is, `region` which part of a file it may change.

`rewrite` has the model write it, `rename` has the checker do it and lists its modules, `breaks` finds what it breaks
elsewhere, and `result` is what comes of it.
"""
