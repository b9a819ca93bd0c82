"""What may be written: rules as immutable states, and one state that combines them."""
