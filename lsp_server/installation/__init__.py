"""What is installed: its health, its parts and their sizes, and the models to choose from."""
