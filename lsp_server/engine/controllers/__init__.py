"""Controllers, programs that steer what the model writes: from a request, or from the workspace's own folder."""
