"""The completion menu: what it may list, in which order, and what accepts an entry."""
