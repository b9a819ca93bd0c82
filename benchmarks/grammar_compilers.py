"""What the real compilers say of a text that tree-sitter takes and the grammar engine does not."""

from __future__ import annotations

import shutil
import subprocess
import warnings

from context_index.symbols import Language


def compiles(language: Language, text: str) -> bool | None:
    """Whether the language's own compiler reads the text; None where there is none to ask."""
    if language.is_python:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                compile(text, "<text>", "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                return False
        return True
    node = shutil.which("node")
    if node is None or language is not Language.JAVASCRIPT:
        return None
    kinds = ("commonjs", "module")
    return any(
        subprocess.run(  # noqa: S603 - the text is only parsed
            [node, f"--input-type={kind}", "--check", "-"], input=text, text=True, capture_output=True, check=False
        ).returncode
        == 0
        for kind in kinds
    )
