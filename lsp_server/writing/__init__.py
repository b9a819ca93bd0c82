"""Writes sets of files: each set as a whole, and never over what another program wrote meanwhile.

`sets.write_set` writes a set with a `journal`; `recovery` finishes or takes back what was interrupted. Both use
`replacing` for the files themselves. `page` writes one file without a journal.
"""
