"""Messages on the wire, and LSP's values in our words and back."""
