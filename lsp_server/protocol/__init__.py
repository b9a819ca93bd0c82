"""Messages on the wire, the parts of the protocol that pygls leaves open, and LSP's values in our words and back."""
