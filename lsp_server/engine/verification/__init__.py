"""Verification: would the compilers accept a text where it is to stand?"""

from lsp_server.engine.suggestion import Level
from lsp_server.engine.verification.baseline import Baseline
from lsp_server.engine.verification.binding import binding_errors
from lsp_server.engine.verification.candidate import Candidate
from lsp_server.engine.verification.checked_files import CheckedFiles
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
    "binding_errors",
]
