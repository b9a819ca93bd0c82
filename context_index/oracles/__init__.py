"""Type checkers as oracles: which names may stand at a place, with how much certainty, and who says so."""

from context_index.oracles.description import Description
from context_index.oracles.environments import find_environment
from context_index.oracles.oracle import Oracle, Source
from context_index.oracles.oracles import Oracles
from context_index.oracles.pending import Pending, Told, Waiting
from context_index.oracles.places import Places
from context_index.oracles.positions import of_every_object, position_at
from context_index.oracles.protocol import Checker, Remark
from context_index.oracles.server import Server
from context_index.oracles.supervised import Limits
from context_index.oracles.ty import Ty, find_ty
from context_index.oracles.types import DocumentTypes
from context_index.oracles.typescript import TypeScript, find_typescript
from context_index.symbols import Answer

__all__ = [
    "Answer",
    "Checker",
    "Description",
    "DocumentTypes",
    "Limits",
    "Oracle",
    "Oracles",
    "Pending",
    "Places",
    "Remark",
    "Server",
    "Source",
    "Told",
    "Ty",
    "TypeScript",
    "Waiting",
    "find_environment",
    "find_ty",
    "find_typescript",
    "of_every_object",
    "position_at",
]
