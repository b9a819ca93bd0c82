"""What the model may say: prompts, constraints and the decode loop.

Knows tokens and logits; knows nothing of editors, files or type checkers. Importing this package does not import torch;
loading a model does.
"""

from __future__ import annotations

from decoder.bias import NamePrior
from decoder.completion import Completion, CompletionTask, complete, rank_names
from decoder.constraint.documents import DocumentStates
from decoder.constraint.objections import Objection
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.controller.confinement import confinement
from decoder.controller.protocol import Controller, ControllerError
from decoder.controller.protocol import Language as ControllerLanguage
from decoder.draft import Counts, Kind
from decoder.errors import (
    ConstraintFaultError,
    DecoderError,
    DeviceError,
    ModelDamagedError,
    ModelError,
    ModelNotFoundError,
    OutOfDeviceMemoryError,
    UnsupportedModelError,
)
from decoder.grammar import EntryKind
from decoder.models.loading import DEVICES, DTYPES, load_model
from decoder.models.model import Model
from decoder.models.vocabulary import Vocabulary
from decoder.ngrams.corpus import Corpus, Elsewhere, joined, tokenised
from decoder.observer import TokenTrace
from decoder.program import Lowered, Program, ProgramError, ProgramTask, Written, write
from decoder.rewriting.asked import AskedRename, Of, asked_change, asked_new, asked_rename, asked_value
from decoder.rewriting.guesses import is_left_alone
from decoder.rewriting.misread import misread
from decoder.rewriting.rewriting import Rewriting, longest_region
from decoder.rewriting.task import Policy, Rewrite, RewriteTask
from decoder.sampling import SamplingOptions
from decoder.search import Budget, Rejected
from decoder.stops import Stop, Until

__all__ = [
    "DEVICES",
    "DTYPES",
    "AskedRename",
    "Budget",
    "Completion",
    "CompletionTask",
    "ConstraintFaultError",
    "Controller",
    "ControllerError",
    "ControllerLanguage",
    "Corpus",
    "Counts",
    "DecoderError",
    "DeviceError",
    "DocumentStates",
    "Elsewhere",
    "EntryKind",
    "Kind",
    "Lowered",
    "Model",
    "ModelDamagedError",
    "ModelError",
    "ModelNotFoundError",
    "NamePrior",
    "Objection",
    "Of",
    "OutOfDeviceMemoryError",
    "Policy",
    "Program",
    "ProgramError",
    "ProgramTask",
    "Refusal",
    "Rejected",
    "Report",
    "Rewrite",
    "RewriteTask",
    "Rewriting",
    "Rule",
    "SamplingOptions",
    "Stop",
    "TokenTrace",
    "UnsupportedModelError",
    "Until",
    "Vocabulary",
    "Written",
    "asked_change",
    "asked_new",
    "asked_rename",
    "asked_value",
    "complete",
    "confinement",
    "is_left_alone",
    "joined",
    "load_model",
    "longest_region",
    "misread",
    "rank_names",
    "tokenised",
    "write",
]
