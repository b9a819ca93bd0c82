"""What the model may say: prompts, constraints and the decode loop.

Knows tokens and logits; knows nothing of editors, files or type checkers. Importing this package does not import torch;
loading a model does.
"""

from __future__ import annotations

from decoder.completion import Completion, CompletionTask, complete, rank_names
from decoder.constraint.documents import DocumentStates
from decoder.constraint.protocol import Refusal, Report, Rule
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
from decoder.loading import DEVICES, DTYPES, load_model
from decoder.model import Model
from decoder.sampling import SamplingOptions
from decoder.stops import Stop, Until
from decoder.trace import TokenTrace

__all__ = [
    "DEVICES",
    "DTYPES",
    "Completion",
    "CompletionTask",
    "ConstraintFaultError",
    "DecoderError",
    "DeviceError",
    "DocumentStates",
    "EntryKind",
    "Model",
    "ModelDamagedError",
    "ModelError",
    "ModelNotFoundError",
    "OutOfDeviceMemoryError",
    "Refusal",
    "Report",
    "Rule",
    "SamplingOptions",
    "Stop",
    "TokenTrace",
    "UnsupportedModelError",
    "Until",
    "complete",
    "load_model",
    "rank_names",
]
