"""Other people's programs in the decode loop: the machines that they run on, with nothing within reach.

Imports nothing by itself: the machines are loaded by the requests that need them.
"""
