"""Open documents: texts, edits, trees, notebooks, and ghost text that is typed through."""
