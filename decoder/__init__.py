"""What a model may write: prompts, constraints and the decode loop.

Knows tokens and logits; knows nothing of editors, files or type checkers. Importing this package does not import
torch; loading a model does.
"""

from __future__ import annotations

from decoder.calibration import Begun
from decoder.closing import PLACEHOLDER, Closer
from decoder.completion import Completion, CompletionTask, complete, rank_names
from decoder.completion.preparation import Kept
from decoder.constraint.protocol import Refusal, Rule
from decoder.controller.place_data import NamePrior
from decoder.controller.pool import confinement
from decoder.controller.protocol import LANGUAGES as PROGRAM_LANGUAGES
from decoder.controller.protocol import Controller
from decoder.draft import Counts, Kind, Policy, Prediction
from decoder.errors import (
    ConstraintFaultError,
    DecoderError,
    DeviceError,
    ModelDamagedError,
    ModelNotFoundError,
    OutOfDeviceMemoryError,
    RegionTooLongError,
    UnsupportedModelError,
)
from decoder.models.loading import load_model
from decoder.models.model import Model
from decoder.models.vocabulary import Vocabulary
from decoder.ngrams.corpus import Corpus, WorkspaceTokens, joined, tokenised
from decoder.observer import TokenTrace
from decoder.program import Program, ProgramError, ProgramResult, ProgramTask, write
from decoder.prompt.rewriting import is_built_in
from decoder.rewriting.attempt import Attempt
from decoder.rewriting.probability import probability
from decoder.rewriting.rewriting import Progress as RewritingProgress
from decoder.rewriting.rewriting import Rewriting
from decoder.rewriting.task import RewriteTask
from decoder.sampling import SamplingOptions
from decoder.search import Budget, Rejected, search
from decoder.stops import Stop, Until

__all__ = [
    "PLACEHOLDER",
    "PROGRAM_LANGUAGES",
    "Attempt",
    "Begun",
    "Budget",
    "Closer",
    "Completion",
    "CompletionTask",
    "ConstraintFaultError",
    "Controller",
    "Corpus",
    "Counts",
    "DecoderError",
    "DeviceError",
    "Kept",
    "Kind",
    "Model",
    "ModelDamagedError",
    "ModelNotFoundError",
    "NamePrior",
    "OutOfDeviceMemoryError",
    "Policy",
    "Prediction",
    "Program",
    "ProgramError",
    "ProgramResult",
    "ProgramTask",
    "Refusal",
    "RegionTooLongError",
    "Rejected",
    "RewriteTask",
    "Rewriting",
    "RewritingProgress",
    "Rule",
    "SamplingOptions",
    "Stop",
    "TokenTrace",
    "UnsupportedModelError",
    "Until",
    "Vocabulary",
    "WorkspaceTokens",
    "complete",
    "confinement",
    "is_built_in",
    "joined",
    "load_model",
    "probability",
    "rank_names",
    "search",
    "tokenised",
    "write",
]
