"""The completion menu: what it may list, in which order, and which import an entry brings."""
