"""What Inscope costs and how well it does, measured.

A module with `main` is a benchmark: `inscope bench NAME` runs it, and `inscope bench` lists it with the first line of
its docstring. The modules without `main` are parts that benchmarks share.
"""
