"""The door for editors: a language server over the engine."""
