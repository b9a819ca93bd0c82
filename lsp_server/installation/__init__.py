"""The installation: its health (`doctor`), its parts (`setup`), their `sizes`, and the `models` to choose from."""
