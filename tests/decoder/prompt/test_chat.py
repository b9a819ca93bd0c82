"""What chat templates may use: the dialect of transformers."""

from __future__ import annotations

import pytest

from decoder.errors import UnsupportedModelError
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.layouts import Marker

ASKED = "<|user|>{{ messages[0].content }}"

# a template, and the prompt of the question "q"; markers are in angles, texts between bars
RENDERED = {
    "question": (ASKED, "<|user|>|q|"),
    "marker in a text": ("{{ eos_token }}a" + ASKED, "<|end|>|a|<|user|>|q|"),
    "break": (f"{{% for at in [1, 2] %}}{{{{ at }}}}{{% break %}}{{% endfor %}}{ASKED}", "|1|<|user|>|q|"),
    "continue": (
        f"{{% for at in [1, 2] %}}{{% if at == 1 %}}{{% continue %}}{{% endif %}}{{{{ at }}}}{{% endfor %}}{ASKED}",
        "|2|<|user|>|q|",
    ),
    "generation": (f"{{% generation %}}a{{% endgeneration %}}{ASKED}", "|a|<|user|>|q|"),
    "date": (f"{{{{ strftime_now('%%') }}}}{ASKED}", "|%|<|user|>|q|"),
}


@pytest.mark.parametrize(("source", "prompt"), RENDERED.values(), ids=RENDERED.keys())
def test_a_template_is_rendered(source: str, prompt: str) -> None:
    layout = ChatTemplate(source, (("eos_token", "<|end|>"),)).layout("q", {"<|user|>", "<|end|>"})
    assert "".join(part.spelling if isinstance(part, Marker) else f"|{part.text}|" for part in layout) == prompt


REFUSED = {
    "its own refusal": ("{{ raise_exception('no system message') }}", "no system message"),
    "no template": ("{% if %}", "cannot be used"),
    "without the question": ("hello", "exactly once"),
    "unknown function": ("{{ today() }}", "'today' is undefined"),
    "out of the sandbox": ("{{ ''.__class__.__mro__ }}" + ASKED, "unsafe"),
}


@pytest.mark.parametrize(("source", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_a_template_that_cannot_be_used_is_refused(source: str, said: str) -> None:
    with pytest.raises(UnsupportedModelError, match=said):
        ChatTemplate(source).layout("q", ())
