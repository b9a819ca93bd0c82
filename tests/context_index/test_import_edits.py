"""Where an import goes, and how it is written. `|` separates lines."""

from __future__ import annotations

import pytest

from context_index import Document, Importable, Language, ModuleKind, NameKind, parse
from context_index.import_edits import import_edit

# language, file before, module, file after
CASES = [
    ("js", "import { a } from './a';|a();", "./b", "import { a } from './a';|import { x } from './b';|a();"),
    ("js", "import { a } from './a.js';|a();", "./a.js", "import { a, x } from './a.js';|a();"),
    ("js", "import {|  a,|} from './a';", "./a", "import {|  a, x,|} from './a';"),
    ("js", 'import a from "./a"', "./b", 'import a from "./a"|import { x } from "./b"'),
    ("js", "const { a } = require('./a');", "./b", "const { a } = require('./a');|const { x } = require('./b');"),
    ("js", "const { a } = require('./a');", "./a", "const { a, x } = require('./a');"),
    ("js", "import {a} from './a'; import {b} from './b';", "./b", "import {a} from './a'; import {b, x} from './b';"),
    ("js", "import {|  a,|  c // note|} from './a';", "./a", "import {|  a,|  c, x // note|} from './a';"),
    ("js", "import {|  a, // note|} from './a';", "./a", "import {|  a, x, // note|} from './a';"),
    ("js", "import {} from './a';", "./a", "import {} from './a';|import { x } from './a';"),
    ("js", "import d from './a' with { type: 'json' };", "./a",
     "import d from './a' with { type: 'json' };|import { x } from './a';"),
    ("js", "import { a } from './a' with { type: 'json' };", "./a",
     "import { a, x } from './a' with { type: 'json' };"),
    ("js", "const b = require('./b'), { a } = require('./a');", "./a",
     "const b = require('./b'), { a, x } = require('./a');"),
    ("js", "const { a, ...rest } = require('./a');", "./a", "const { a, x, ...rest } = require('./a');"),
    ("js", "const { a } = require('./a').b;", "./a", "const { a } = require('./a').b;|const { x } = require('./a');"),
    ("js", "import a from './a'; t = `|`;", "./b", "import a from './a'; t = `|`;|import { x } from './b';"),
    ("js", "'use strict';||f();", "./b", "'use strict';|import { x } from './b';||f();"),
    ("js", "// licence|f();", "./b", "// licence|import { x } from './b';||f();"),
    ("js", "", "./b", "import { x } from './b';|"),
    ("js", "f();|module.exports = { f };", "./b", "const { x } = require('./b');||f();|module.exports = { f };"),
    ("js", "module.exports = {", "./b", "const { x } = require('./b');||module.exports = {"),
    ("js", "exports.f = 1;", "./b", "const { x } = require('./b');||exports.f = 1;"),
    ("js", "f(require('a').b);", "./b", "const { x } = require('./b');||f(require('a').b);"),
    ("js", "export default require('a').b;", "./b", "import { x } from './b';||export default require('a').b;"),
    ("ts", "f(require('a').b);", "./b", "import { x } from './b';||f(require('a').b);"),
    ("js", "/**| * It is.| * So.| */|f() {|  g();|}", "./b",
     "/**| * It is.| * So.| */|import { x } from './b';||f() {|  g();|}"),
    ("js", "f(() => {|  g()|})", "./b", "import { x } from './b'||f(() => {|  g()|})"),
    ("js", "for (let i = 0; i < 2; i++) {|  f(i) // one;|}", "./b",
     "import { x } from './b'||for (let i = 0; i < 2; i++) {|  f(i) // one;|}"),
    ("js", "const a = `|it's;|it's;|it's;|`|f(\"a\")", "./b",
     "import { x } from \"./b\"||const a = `|it's;|it's;|it's;|`|f(\"a\")"),
    ("ts", "import type { A } from './a';", "./a", "import type { A } from './a';|import { x } from './a';"),
    ("py", "import os||f()", "m", "import os||from m import x||f()"),
    ("py", "from m import a|f()", "m", "from m import a, x|f()"),
    ("py", "from m import a  # why|f()", "m", "from m import a, x  # why|f()"),
    ("py", "from m import (|    a,|)|f()", "m", "from m import (|    a, x,|)|f()"),
    ("py", "from m import (|    a  # why|)|f()", "m", "from m import (|    a, x  # why|)|f()"),
    ("py", "from m import a, \\|    b as c|f()", "m", "from m import a, \\|    b as c, x|f()"),
    ("py", "from m import a; from n import b", "n", "from m import a; from n import b, x"),
    ("py", "from m import *|f()", "m", "from m import *|from m import x|f()"),
    ("py", "if a:|    from m import b|f()", "m", "if a:|    from m import b|from m import x|f()"),
    ("py", 'import os; a = """|"""|f()', "m", 'import os; a = """|"""||from m import x|f()'),
    ("py", "from m import a||class A:|    B = {|        'a': b|        'c': d,|    }|    C = {'e': f([h, i()])}", "m",
     "from m import a, x||class A:|    B = {|        'a': b|        'c': d,|    }|    C = {'e': f([h, i()])}"),
    ("py", "from n import b|def f():|    from m import a|    g(|    return {|        'a': [", "m",
     "from n import b|from m import x|def f():|    from m import a|    g(|    return {|        'a': ["),
    ("py", '"""Doc."""||f()', "m", '"""Doc."""|from m import x||f()'),
    ("py", "#!/usr/bin/env python|f()", "m", "#!/usr/bin/env python|from m import x||f()"),
    ("py", "from __future__ import annotations|f()", "m", "from __future__ import annotations|from m import x||f()"),
]  # fmt: skip
# language, file before, module, file after: each group has its place, where the file has an order
GROUPS = [
    ("py", "from .a import b||f()", "json", "from json import x||from .a import b||f()"),
    ("py", "import os||from .a import b", "json", "import os|from json import x||from .a import b"),
    ("py", "import os||from .a import b", "numpy", "import os||from numpy import x||from .a import b"),
    ("py", "import os|from .a import b", "numpy", "import os|from numpy import x|from .a import b"),
    ("py", "import os||import numpy||from .a import b", "os.path",
     "import os|from os.path import x||import numpy||from .a import b"),
    ("py", "from __future__ import annotations||from .a import b", "json",
     "from __future__ import annotations||from json import x||from .a import b"),
    ("py", "import os||f()", ".a", "import os||from .a import x||f()"),
    ("py", "from . import a|from .. import b", "..c", "from . import a|from .. import b|from ..c import x"),
    ("py", "from .a import b|import os", "json", "from .a import b|import os|from json import x"),
    ("py", "import numpy|import os|from .a import b", "json",
     "import numpy|import os|from json import x|from .a import b"),
    ("py", "import os|if a:|    from .b import c|f()", "json",
     "import os|from json import x|if a:|    from .b import c|f()"),
    ("py", "try:|    import os|except E:|    pass|from .a import b", "json",
     "try:|    import os|except E:|    pass|from json import x||from .a import b"),
    ("py", "import (|    # no name", "json", "from json import x||import (|    # no name"),
    ("js", "import { a } from './a';|f();", "react", "import { x } from 'react';|import { a } from './a';|f();"),
    ("js", "import r from 'r';||import { a } from './a';", "node:fs",
     "import r from 'r';|import { x } from 'node:fs';||import { a } from './a';"),
    ("js", "import r from 'r';|import { a } from '../a';", "q",
     "import r from 'r';|import { x } from 'q';|import { a } from '../a';"),
    ("js", "import { a } from './a';|import r from 'r';", "q",
     "import { a } from './a';|import r from 'r';|import { x } from 'q';"),
    ("js", "'use strict';|const { a } = require('./a');", "fs",
     "'use strict';|const { x } = require('fs');|const { a } = require('./a');"),
    ("ts", "import type { A } from './a';", "q", "import { x } from 'q';|import type { A } from './a';"),
]  # fmt: skip
# name, language, what is around it, file before, statement
LOADED = [
    ("a.js", "js", None, "", "import"),
    ("a.js", "js", ModuleKind.COMMON_JS, "", "require"),
    ("a.js", "js", ModuleKind.COMMON_JS, "f();", "require"),
    ("a.js", "js", ModuleKind.COMMON_JS, "export const a = 1;", "import"),
    ("a.js", "js", ModuleKind.COMMON_JS, "import a from 'a';", "import"),
    ("a.js", "js", ModuleKind.ES, "const a = require('a');", "require"),
    ("a.js", "js", ModuleKind.ES, "exports.a = 1;", "require"),
    ("a.js", "js", None, "Object.defineProperty(exports, 'a', { value: f });", "require"),
    ("a.js", "js", None, "module.exports = f;", "require"),
    ("a.js", "js", None, "// module.exports, as require('a') has it|f();", "import"),
    ("a.js", "js", None, "f('module.exports');", "import"),
    ("a.js", "js", None, "const exports = f();|exports.a();", "import"),
    ("a.js", "js", None, "import('a');|module.exports = f;", "require"),
    ("a.cjs", "js", ModuleKind.ES, "", "require"),
    ("a.mjs", "js", ModuleKind.COMMON_JS, "", "import"),
    ("a.mjs", "js", None, "const a = require('a');", "import"),
    ("a.ts", "ts", ModuleKind.COMMON_JS, "", "import"),
    ("a.ts", "ts", None, "import a = require('a');", "import"),
    ("a.cts", "ts", None, "module.exports = f;", "import"),
]
LANGUAGES = {"js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT, "py": Language.PYTHON}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("language", "before", "module", "after"), [*CASES, *GROUPS])
def test_import_is_written_as_the_others_are(newline: str, language: str, before: str, module: str, after: str) -> None:
    document = Document("file:///f", LANGUAGES[language], before.replace("|", newline))
    edit = import_edit(parse(document), Importable("x", NameKind.FUNCTION, module))
    edited = document.edited([edit], 1)
    if newline == "\n" or "|" in before:  # a file of one line does not show its line breaks
        assert edited.text == after.replace("|", newline)
    assert parse(edited).errors <= parse(document).errors


@pytest.mark.parametrize(("name", "language", "around", "before", "statement"), LOADED)
def test_script_imports_as_it_is_loaded(
    name: str, language: str, around: ModuleKind | None, before: str, statement: str
) -> None:
    syntax = parse(Document(f"file:///{name}", LANGUAGES[language], before.replace("|", "\n")))
    written = import_edit(syntax, Importable("x", NameKind.FUNCTION, "./b"), around).text.strip()
    assert written == {"require": "const { x } = require('./b');", "import": "import { x } from './b';"}[statement]


@pytest.mark.parametrize(
    ("before", "wanted", "statement"),
    [
        ("import { a } from './b';", Importable("Cart", NameKind.CLASS, "./b", is_default=True),
         "import Cart from './b';"),
        ("const a = require('a');", Importable("fs", NameKind.MODULE, "node:fs", is_module=True),
         "const fs = require('node:fs');"),
    ],
)  # fmt: skip
def test_a_default_export_and_a_module_are_imported_by_their_own_name(
    before: str, wanted: Importable, statement: str
) -> None:
    document = Document("file:///f", Language.JAVASCRIPT, before + "\n")
    edited = document.edited([import_edit(parse(document), wanted)], 1)
    assert edited.text == f"{before}\n{statement}\n"
