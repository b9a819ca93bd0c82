"""Controllers, code that a request brings and that is called at each token, and the sandboxes that they run in.

Imports nothing by itself: the sandboxes are loaded by the requests that need them.
"""
