"""The language server, the command line, and the pipeline behind both."""
