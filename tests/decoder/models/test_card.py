"""A card says what is known of a model: a person's word first, then the tokenizer's markers, then the chat template."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from decoder import calibration, embedded, load_model
from decoder.models.card import ModelCard
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.families import Family, row_of
from tests.decoder.scripted import byte_vocabulary

if TYPE_CHECKING:
    from pathlib import Path

FIM = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
CHAT = ChatTemplate("{{ messages[0].content }}")
ROW = row_of(["<end>", "{prefix}"])


@pytest.mark.parametrize(
    ("markers", "chat", "row", "name"),
    [
        (FIM, CHAT, ROW, "configured"),
        (FIM, CHAT, None, "qwen2.5-coder"),
        ((), CHAT, None, "chat"),
        ((), None, None, "left to right"),
    ],
)
def test_the_family_is_the_one_that_is_known_best(
    markers: tuple[str, ...], chat: ChatTemplate | None, row: Family | None, name: str
) -> None:
    vocabulary = byte_vocabulary({marker: number for number, marker in enumerate(markers)})
    card = ModelCard.of(vocabulary, chat, row)
    assert (card.family.name, card.chat) == (name, chat)
    assert card.mixture is None
    assert card.calibration == calibration.built_in()


def test_a_loaded_models_card_has_what_was_fitted_to_it(tmp_path: Path) -> None:
    model = shutil.copytree(embedded.path(), tmp_path / "model")
    file = model / calibration.FILE
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "intercept": 7.5}), "utf-8")
    card = load_model(str(model)).card
    assert card.family.name == "embedded"
    assert card.mixture is not None
    assert card.calibration.intercept == pytest.approx(7.5)
