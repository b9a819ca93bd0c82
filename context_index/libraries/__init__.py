"""What installed packages and the standard library offer to importers, read in the background when first wanted."""

from context_index.libraries.libraries import Libraries

__all__ = ["Libraries"]
