"""Models: finding, loading and running one, and the bytes of its tokens."""
