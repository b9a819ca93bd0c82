"""The façade of the libraries: what installed packages and the standard library export."""

from context_index.libraries.libraries import Libraries

__all__ = ["Libraries"]
