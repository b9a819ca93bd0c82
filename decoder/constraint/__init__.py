"""What may be said: rules as immutable states, and the guard that asks them all."""
