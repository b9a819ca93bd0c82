"""Who asks and who is answered: the pipeline, the language server and the command line."""
