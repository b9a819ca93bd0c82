"""Tokens' bytes are exact for every kind of tokenizer that code models use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.errors import ModelDamagedError, ModelError, UnsupportedModelError
from decoder.models.tokenizer_bytes import read_vocabulary
from decoder.models.vocabulary import Vocabulary
from decoder.prompt import family_of
from tests.decoder.tiny_tokenizers import CODE, TinyTokenizer, embedded_vocabulary, tiny_tokenizers

TOKENIZERS = tiny_tokenizers()

TEXTS = (
    *CODE,
    "",
    " ",
    "\n",
    " leading and trailing  ",
    "tabs\tand\r\nboth\n\rline ends",
    "é ü 你好 🙂 \u2028 e\u0301",
    "markers: <|fim_prefix|> <fim_suffix> </s> <PRE> [SUFFIX] <0x0A>",
)


@pytest.fixture(scope="module", params=[*TOKENIZERS, "embedded"])
def vocabulary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    if request.param == "embedded":
        return embedded_vocabulary()
    return TOKENIZERS[request.param].vocabulary(tmp_path_factory.mktemp(request.param), more=13)


def written(vocabulary: Vocabulary, tokens: list[int]) -> bytes:
    return b"".join(vocabulary.token_bytes[token] for token in tokens)


@pytest.mark.parametrize("text", TEXTS)
def test_the_tokens_of_a_text_write_that_text(vocabulary: Vocabulary, text: str) -> None:
    assert written(vocabulary, vocabulary.encode(text)) == text.encode()


@given(text=st.text(st.characters(exclude_characters="▁", exclude_categories=["Cs"]), max_size=60))
def test_any_text_is_written_back(vocabulary: Vocabulary, text: str) -> None:
    assert written(vocabulary, vocabulary.encode(text)) == text.encode()


def test_half_of_a_surrogate_pair_is_written_as_the_replacement_character(vocabulary: Vocabulary) -> None:
    assert written(vocabulary, vocabulary.encode("a\ud83d b\ude42")) == "a\ufffd b\ufffd".encode()


def test_markers_write_nothing_and_are_never_read_from_text(vocabulary: Vocabulary) -> None:
    for spelling, token in vocabulary.special.items():
        assert vocabulary.token_bytes[token] == b""
        if not spelling.startswith("▁"):
            assert token not in vocabulary.encode(f"a {spelling} b")


@pytest.mark.parametrize("name", ["codellama", "codestral", "llama"])
def test_sentencepiece_reads_its_own_sign_as_a_space(name: str, tmp_path: Path) -> None:
    vocabulary = TOKENIZERS[name].vocabulary(tmp_path)
    assert written(vocabulary, vocabulary.encode("a▁b")) == b"a b", "the one text that is not written back"


def test_every_byte_can_be_written(vocabulary: Vocabulary) -> None:
    assert {bytes([byte]) for byte in range(256)} - set(vocabulary.token_bytes) <= {b" "}, "a space may be a piece only"
    assert any(text.startswith(b" ") for text in vocabulary.token_bytes)


@pytest.mark.parametrize("tiny", TOKENIZERS.values(), ids=TOKENIZERS.keys())
def test_columns_beyond_the_tokenizer_write_nothing(tiny: TinyTokenizer, tmp_path: Path) -> None:
    vocabulary = tiny.vocabulary(tmp_path, more=13)
    assert vocabulary.size == tiny.size + 13
    assert set(vocabulary.token_bytes[tiny.size :]) == {b""}


@pytest.mark.parametrize("tiny", TOKENIZERS.values(), ids=TOKENIZERS.keys())
def test_the_family_is_reported_by_its_markers_and_brings_its_ends(tiny: TinyTokenizer, tmp_path: Path) -> None:
    vocabulary = tiny.vocabulary(tmp_path)
    assert family_of(vocabulary.special).name == tiny.family
    assert tiny.id(tiny.end) in vocabulary.end


DAMAGE = {
    "not JSON": ("{", ModelDamagedError),
    "no model": ("{}", ModelDamagedError),
    "a list": ("[]", ModelDamagedError),
    "nothing in it": ('{"model": {}, "decoder": {}}', ModelDamagedError),
    "decoder is no object": ('{"model": {}, "decoder": "ByteLevel"}', ModelDamagedError),
    "steps are no list": ('{"model": {}, "decoder": {"type": "Sequence", "decoders": 5}}', ModelDamagedError),
    "added tokens are no list": (
        '{"model": {}, "decoder": {"type": "ByteLevel"}, "added_tokens": 5}',
        ModelDamagedError,
    ),
    "added token without text": (
        '{"model": {}, "decoder": {"type": "ByteLevel"}, "added_tokens": [{"id": 1}]}',
        ModelDamagedError,
    ),
    "endless nesting": ('{"model": ' + "[" * 100_000, ModelDamagedError),
    "unknown model": ('{"model": {"type": "Novel"}, "decoder": {"type": "ByteLevel"}}', ModelDamagedError),
    "WordPiece": (
        '{"model": {"type": "WordPiece", "vocab": {}}, "decoder": {"type": "WordPiece"}}',
        UnsupportedModelError,
    ),
}


@pytest.mark.parametrize(("text", "error"), DAMAGE.values(), ids=DAMAGE.keys())
def test_other_files_are_refused_in_a_sentence(text: str, error: type[Exception], tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(text)
    with pytest.raises(error, match=r"\.$") as raised:
        read_vocabulary(file, columns=10, end=[])
    assert "\n" not in str(raised.value)


WHOLE = json.loads(TOKENIZERS["qwen2.5-coder"].data)
VALUES = st.sampled_from([None, True, -1, 1 << 40, "", "ByteLevel", [], [None], {}, {"type": "Sequence"}])


@pytest.mark.slow
@given(data=st.data())
def test_a_tokenizer_with_any_part_replaced_is_read_or_refused_in_a_sentence(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    damaged = json.loads(json.dumps(WHOLE))
    part, depth = damaged, data.draw(st.integers(1, 4))
    for _ in range(depth):
        places = sorted(part) if isinstance(part, dict) else range(len(part))
        place = data.draw(st.sampled_from(places))
        if not (isinstance(part[place], dict | list) and part[place]):
            break
        outer, part = part, part[place]
    else:
        part = outer
    part[place] = data.draw(VALUES)
    file = tmp_path_factory.getbasetemp() / "damaged.json"
    file.write_text(json.dumps(damaged))
    try:
        read_vocabulary(file, columns=TOKENIZERS["qwen2.5-coder"].size, end=[])
    except ModelError as fault:
        assert str(fault).endswith(".")  # noqa: PT017 - most damage is refused, some is harmless


def test_a_tokenizer_that_cannot_write_its_text_back_is_refused(tmp_path: Path) -> None:
    data = json.loads(TOKENIZERS["llama"].data)
    data["model"]["byte_fallback"] = False  # what it has no piece for becomes <unk>
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(data))
    with pytest.raises(UnsupportedModelError, match="do not decode"):
        read_vocabulary(file, columns=1000, end=[])


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedModelError, match="different models"):
        TOKENIZERS["qwen2.5-coder"].vocabulary(tmp_path, more=-1)
