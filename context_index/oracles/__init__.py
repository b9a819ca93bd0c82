"""Type checkers as oracles: which members may follow a dot, with how much certainty, and who says so."""

from context_index.oracles.oracle import Oracle, Source
from context_index.oracles.oracles import Oracles
from context_index.oracles.protocol import Answer, Checker, Pending, Places
from context_index.oracles.server import Limits, Server
from context_index.oracles.ty import Ty, find_environment, find_ty
from context_index.oracles.typescript import TypeScript, find_typescript

__all__ = [
    "Answer",
    "Checker",
    "Limits",
    "Oracle",
    "Oracles",
    "Pending",
    "Places",
    "Server",
    "Source",
    "Ty",
    "TypeScript",
    "find_environment",
    "find_ty",
    "find_typescript",
]
