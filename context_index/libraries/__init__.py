"""What installed packages and the standard library export, read in the background when it is first needed."""

from context_index.libraries.libraries import Libraries

__all__ = ["Libraries"]
