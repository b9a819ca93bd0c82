"""Verification: would the compilers accept a text where it is to stand?"""

from lsp_server.suggestion import Level
from lsp_server.verification.candidate import Candidate
from lsp_server.verification.checked_files import CheckedFiles
from lsp_server.verification.verification import (
    Baseline,
    NewErrors,
    Rejected,
    Rejection,
    Unanswered,
    Unverified,
    Verification,
    Verified,
    Verifier,
    binding_errors,
)

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
