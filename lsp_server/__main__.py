"""`python -m lsp_server`: the `inscope` command where scripts are not on the path."""

import sys

from lsp_server.cli import main

sys.exit(main())
