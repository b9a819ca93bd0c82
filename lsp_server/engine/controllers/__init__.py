"""Programs that steer a generation, as a request or a workspace brings them."""
