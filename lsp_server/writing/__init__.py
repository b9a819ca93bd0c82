"""Writes sets of files: each set as a whole, and never over what another program wrote meanwhile."""
