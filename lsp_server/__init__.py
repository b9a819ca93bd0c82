"""The doors (the language server in `lsp`, the command line in `cli`), and the pipeline that they ask, `engine`.

A new door is a folder beside them that makes requests of `engine.wire` and hands them to `engine.service`.
"""
