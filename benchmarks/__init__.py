"""What Inscope costs and how well it does, measured.

A module with `main` is a benchmark, and `inscope bench NAME` runs it. The first line of its docstring is its summary in
`inscope bench`. The others are parts of benchmarks.
"""
