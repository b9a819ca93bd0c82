"""Verification: whether the language's checker accepts a document with a text in it.

`Verifier` keeps a `Baseline` of each document: the checker's report without the text. `Baseline.verify` judges a
`Candidate`, which is a text for a place; `Baseline.new_errors` judges edits of a whole file. For completions, `judge`
decides from that whether and how a text is shown. `closer` ends what an unfinished text leaves open.
"""

from lsp_server.engine.suggestion import Level
from lsp_server.engine.verification.baseline import Baseline
from lsp_server.engine.verification.candidate import Candidate
from lsp_server.engine.verification.checked_files import CheckedFiles
from lsp_server.engine.verification.rejecting_codes import rejecting_errors
from lsp_server.engine.verification.results import (
    NewErrors,
    Rejected,
    Rejection,
    Unanswered,
    Unverified,
    Verification,
    Verified,
)
from lsp_server.engine.verification.verifier import Verifier

__all__ = [
    "Baseline",
    "Candidate",
    "CheckedFiles",
    "Level",
    "NewErrors",
    "Rejected",
    "Rejection",
    "Unanswered",
    "Unverified",
    "Verification",
    "Verified",
    "Verifier",
    "rejecting_errors",
]
