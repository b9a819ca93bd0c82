"""What an editor holds open: texts edit by edit, their trees, notebooks, and ghost text that is typed through."""
