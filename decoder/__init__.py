"""What a model may write: prompts, constraints and the decode loop.

This is the façade that `lsp_server` imports. The package knows tokens and logits; it knows nothing of editors, files or
type checkers. Importing it does not import torch; loading a model does.
"""

from __future__ import annotations

from decoder.calibration import Begun
from decoder.closing import PLACEHOLDER, Closer, ending
from decoder.completion import Completion, CompletionTask, NamePrompt, complete
from decoder.completion.preparation import Kept
from decoder.constraint.protocol import Refusal, Rule
from decoder.controller.place_data import NamePrior
from decoder.controller.pool import confinement
from decoder.controller.protocol import LANGUAGES as PROGRAM_LANGUAGES
from decoder.controller.protocol import Controller
from decoder.draft import Counts, DraftPolicy, Prediction, TokenOrigin
from decoder.errors import (
    ConstraintFaultError,
    DecoderError,
    DeviceError,
    ExtraMissingError,
    ModelDamagedError,
    ModelNotFoundError,
    ModelServerError,
    NotFetchedError,
    OutOfDeviceMemoryError,
    RegionTooLongError,
    ServerBusyError,
    ServerUnreachableError,
    UnsupportedModelError,
)
from decoder.grammar.respelling import Respeller, Way, is_word, tokens_near
from decoder.lexical import at_cursor
from decoder.models.caches import BUILT_IN, Cache, ModelKind, StoredModel, stored_models
from decoder.models.description import ModelDescription, describe_model
from decoder.models.known import KNOWN, KnownModel
from decoder.models.loading import load_model
from decoder.models.model import Model
from decoder.models.options import ModelOptions
from decoder.models.vocabulary import Vocabulary
from decoder.ngrams.corpus import Corpus, WorkspaceTokens, joined, tokenised
from decoder.observer import TokenTrace
from decoder.program import Program, ProgramError, ProgramResult, ProgramTask, write
from decoder.rewriting.attempt import RewriteAttempt
from decoder.rewriting.rewriting import Rewriting, RewritingProgress
from decoder.rewriting.task import RewriteTask
from decoder.sampling import SamplingOptions
from decoder.search import NotAccepted, SearchBudget
from decoder.stops import Stop, Until

__all__ = [
    "BUILT_IN",
    "KNOWN",
    "PLACEHOLDER",
    "PROGRAM_LANGUAGES",
    "Begun",
    "Cache",
    "Closer",
    "Completion",
    "CompletionTask",
    "ConstraintFaultError",
    "Controller",
    "Corpus",
    "Counts",
    "DecoderError",
    "DeviceError",
    "DraftPolicy",
    "ExtraMissingError",
    "Kept",
    "KnownModel",
    "Model",
    "ModelDamagedError",
    "ModelDescription",
    "ModelKind",
    "ModelNotFoundError",
    "ModelOptions",
    "ModelServerError",
    "NamePrior",
    "NamePrompt",
    "NotAccepted",
    "NotFetchedError",
    "OutOfDeviceMemoryError",
    "Prediction",
    "Program",
    "ProgramError",
    "ProgramResult",
    "ProgramTask",
    "Refusal",
    "RegionTooLongError",
    "Respeller",
    "RewriteAttempt",
    "RewriteTask",
    "Rewriting",
    "RewritingProgress",
    "Rule",
    "SamplingOptions",
    "SearchBudget",
    "ServerBusyError",
    "ServerUnreachableError",
    "Stop",
    "StoredModel",
    "TokenOrigin",
    "TokenTrace",
    "UnsupportedModelError",
    "Until",
    "Vocabulary",
    "Way",
    "WorkspaceTokens",
    "at_cursor",
    "complete",
    "confinement",
    "describe_model",
    "ending",
    "is_word",
    "joined",
    "load_model",
    "stored_models",
    "tokenised",
    "tokens_near",
    "write",
]
