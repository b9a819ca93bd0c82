"""What may be said: rules as immutable states, and the constraint that asks them all."""
