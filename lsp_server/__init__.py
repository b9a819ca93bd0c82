"""The language server, the command line, and the pipeline that both use."""
