"""The model's view of a document that the parser reads otherwise: lines stay lines, indentation is the model's."""

from __future__ import annotations

import pytest

from context_index import Document, Edit, Language, Workspace, parse
from lsp_server.engine.site import Site

NOWHERE = Workspace([])

FORMS = [
    "function F() {\n\treturn (\n\t\t<p>\n\t\t\ta & b\n\t\t\t{to^}\n\t\t</p>\n\t);\n}\n",
    "function F() {\r\n    return (\r\n        <p>\r\n            a & b {^}\r\n        </p>\r\n    );\r\n}",
    "const a = <p>c & d</p>;\nconst b = ^",
    "const a = (\n    <p>\n        & d\n    </p>\n);\nconst b = to^tal;\n",
    "const a = ^;\nconst b = <p>c & d</p>;\n",
]


@pytest.mark.parametrize("marked", FORMS)
def test_spelling_is_as_long_as_what_the_model_reads(marked: str) -> None:
    offset = marked.index("^")
    document = Document("untitled:a", Language.TSX, marked.replace("^", ""))
    place = document.text.index("&")
    read = parse(document).respelled([Edit(place, place + 1, " ")])
    view = Site(NOWHERE, read, offset)
    whole = view.prefix + view.suffix
    assert view.spelling == whole.replace("&", " ")
    assert Site(NOWHERE, parse(document), offset).spelling == whole
