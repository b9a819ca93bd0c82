"""C and C++ with the real clangd: what is accepted, refused, listed, renamed, and what a hostile workspace can do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from context_index import Language, Workspace, parse
from context_index.extras import Extra
from lsp_server.engine.menu.candidates import Lister
from lsp_server.engine.rewriting.rename import Renamer
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import Trigger
from lsp_server.engine.verification import Candidate, Verifier
from lsp_server.settings.table import Settings, trigger_of
from tests.context_index.checkers import PATIENCE
from tests.files import document, lay_out
from tests.lsp_server.verification.test_verification import described, placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Description, Query, Signatures

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Extra.C.is_installed, reason="clangd and the parsers of C are not installed"),
]

FILES = {
    "include/inner.h": "int inner_size(void);\n",
    "stack.h": """#ifndef STACK_H
#define STACK_H
#include <stddef.h>
#define STACK_DEPTH 16
#define STACK_FULL(s) ((s)->count >= STACK_DEPTH)
typedef struct stack { size_t count; int items[STACK_DEPTH]; struct stack *below; } stack;
enum level { LEVEL_LOW, LEVEL_HIGH };
typedef int (*visit_fn)(int item, void *context);
int stack_push(stack *s, int item);
size_t stack_each(const stack *s, visit_fn visit, void *context);
void stack_clear(stack *s);
#endif
""",
}
HEAD = '#include "stack.h"\n'
CASES = r"""
# members
a.c | int f(stack *s) { return s->⟦items[0]⟧; } => types
a.c | int f(stack *s) { return s->⟦itms[0]⟧; } => rejected no_member
a.c | int f(stack *s) { return s⟦.items[0]⟧; } => rejected typecheck_member_reference_suggestion
a.c | size_t f(stack *s) { return s->⟦below->count⟧; } => types
a.c | size_t f(stack s) { return ⟦s.count⟧; } => types
a.c | size_t f(stack *s) { return ⟦s->size()⟧; } => rejected no_member
# calls
a.c | int f(stack *s) { return ⟦stack_push(s, 1)⟧; } => types
a.c | int f(stack *s) { return ⟦stack_push(s)⟧; } => rejected typecheck_call_too_few_args
a.c | int f(stack *s) { return ⟦stack_push(s, 1, 2)⟧; } => rejected typecheck_call_too_many_args
a.c | void f(stack *s) { ⟦stack_reset(s);⟧ } => rejected -Wimplicit-function-declaration
a.c | int f(int x) { return ⟦stack_push(x, 1)⟧; } => rejected -Wint-conversion
a.c | void f(stack *s) { int n = ⟦stack_clear(s)⟧; } => rejected typecheck_convert_incompatible
a.c | int visit(int item, void *context);\nsize_t f(stack *s) { return ⟦stack_each(s, visit, NULL)⟧; } => types
# names and types
a.c | int f(void) { return ⟦zork⟧; } => rejected undeclared_var_use
a.c | ⟦zork_t⟧ value; => rejected unknown_typename
a.c | ⟦static int table[STACK_DEPTH];⟧ => types
a.c | int f(enum level l) { return ⟦l == LEVEL_HIGH⟧; } => types
a.c | void f(void) { ⟦const int n = 1; n = 2;⟧ } => rejected typecheck_assign_const
a.c | char *f(void) { return ⟦"a" + "b"⟧; } => rejected typecheck_invalid_operands
a.c | void f(void) { ⟦int i = 0;⟧ i++; } => types
# macros
a.c | int f(stack *s) { return ⟦STACK_FULL(s)⟧; } => types
a.c | int f(stack *s) { return ⟦STACK_FULL()⟧; } => rejected syntax/expected_expression
a.c | ⟦#define TWICE(x) ((x) * 2)⟧\nint f(int n) { return TWICE(n); } => types
a.c | ⟦#ifdef STACK_DEPTH⟧\nint depth;\n#endif => types
# unfinished blocks
a.c | int f(stack *s) {\n    ⟦if (s->count > 0) {⟧\n => types
a.c | int f(stack *s) {\n    for (⟦size_t i = 0; i < s->count; i++) {⟧\n => types
a.c | int f(stack *s) {\n    for (⟦size_t i = 0; i < s->size; i++) {⟧\n => rejected no_member
a.c | int f(stack *s) {\n    while (⟦s->below != NULL) s = s->below;⟧\n => types
a.c | int f(enum level l) {\n    switch (l) {\n    ⟦case LEVEL_LOW:⟧\n => types
a.c | int f(stack *s) {\n    return stack_push(⟦s, ⟧\n} => types
a.c | int f(stack *s) {\n    return stack_push(⟦zork, ⟧\n} => rejected undeclared_var_use
a.c | ⟦static void reset(stack *s) {⟧ => types
a.c | int f(int x) {\n    ⟦return x }⟧\n => rejected syntax/expected_semi_after_stmt
a.c | int f(int a) {\n#ifdef X\n#endif\n    if (a) {\n        ⟦a++;⟧\n\nint h(void) {\n    return 1;\n} => types
a.c | int f(int a) {\n    goto end;\nend:\n    while (a) {\n        ⟦a--;⟧\n\nint h(void) {\n    return 1;\n} => types
# another part of the file is wrong
a.c | int f(stack *s) {\n    return ⟦s->count;⟧\n}\nint g(int x) { return MISSING(int, x); } => types
# unfinished initialisers
a.c | stack one = { ⟦.count = 1, ⟧ => types
a.c | stack one = { ⟦.size = 1, ⟧ => rejected field_designator_unknown
a.c | int numbers[] = { 1, ⟦2, 3⟧ => types
a.c | stack one = ⟦{ .count = 0, .items = { 1, 2 } }⟧; => types
# missing includes
a.c | void f(void) { ⟦printf("%d", 1);⟧ } => types + #include <stdio.h>
a.c | size_t f(const char *s) { return ⟦strlen(s)⟧; } => types + #include <string.h>
a.c | ⟦uint8_t⟧ byte; => types + #include <stdint.h>
a.c | void f(void) { ⟦zork_print("%d", 1);⟧ } => rejected -Wimplicit-function-declaration
# headers
b.h | ⟦int later(stack *s);⟧ => types
b.h | ⟦int later(stak *s);⟧ => rejected unknown_typename_suggest
b.h | typedef struct pair { stack *first; ⟦stack *second;⟧ } pair; => types
b.h | typedef struct one { int class; ⟦int new;⟧ } one; => types
a.c | #include <inner.h>\nint f(void) { return ⟦inner_size()⟧; } => types
# C++
a.cpp | #include <vector>\nsize_t f(const std::vector<int> &v) { return v.⟦size()⟧; } => types
a.cpp | #include <vector>\nsize_t f(const std::vector<int> &v) { return v.⟦length()⟧; } => rejected no_member
a.cpp | class A { public: int get() const { ⟦return value;⟧ } private: int value = 0; }; => types
a.cpp | class A { int value = 0; };\nint f(A a) { return ⟦a.value⟧; } => rejected access
""".strip().splitlines()


# what our parser cannot read: a text below the macros and above the next function => its result
MACROS = """#define local static
#define API
#define EACH(s) for (; s; s = s->below)
#define TRACE(x) g x;
int g(int a, int b);
local int API
"""
BELOW = "\n\nlocal int API h(s)\n    stack *s;\n{\n    return 1;\n}\n"
TORN = r"""
f(s)\n    stack *s;\n{\n    if (s->count) {\n        ⟦s->count--;⟧ => types
f(s) stack *s; {\n    if (s->count) {\n        ⟦s->size--;⟧ => rejected no_member
f(stack *s) {\n    do {\n        ⟦s->count--;⟧ => types
f(stack *s) {\n    EACH(s) ⟦{ s->count--; }⟧\n    return 1;\n} => types
f(stack *s) {\n    EACH(s) ⟦{ s->size--; }⟧\n    return 1;\n} => rejected no_member
f(stack *s) {\n    EACH(s) do {\n        TRACE((1, 2))\n        ⟦s->count--;⟧ => types
f(stack *s) {\n    TRACE((1, 2))\n    ⟦TRACE((3, 4))⟧ => types
f(stack *s) {\n    TRACE((1, 2))\n    ⟦TRACE((3))⟧ => rejected typecheck_call_too_few_args
f(stack *s) {\n#if defined(X)\n    if (s->size) {\n#else\n    if (s) {\n#endif\n        ⟦s->count--;⟧ => types
f(stack *s) {\n#ifdef API\n    if (s) {\n        ⟦s->count--;⟧ => types
f(stack *s) {\n    ⟦s->count--; }⟧\n    return 1;\n} => rejected syntax/expected_either syntax/extraneous_closing_brace
""".strip().splitlines()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    opened = Workspace([lay_out(tmp_path_factory.mktemp("project"), FILES)])
    yield opened
    opened.close()


@pytest.mark.parametrize("case", [line for line in CASES if not line.startswith("#")])
def test_result_of_a_text(case: str, workspace: Workspace) -> None:
    name, _, rest = case.partition(" | ")
    marked, _, expected = rest.rpartition(" => ")
    document, candidate = placed(workspace.roots[0], name, HEAD + marked.replace("\\n", "\n"))
    found = Verifier(workspace).verify(parse(document), candidate)
    workspace.forget(document.uri)
    assert described(found, candidate.text) == expected


@pytest.mark.parametrize("case", TORN)
def test_result_where_our_tree_is_torn(case: str, workspace: Workspace) -> None:
    marked, _, expected = case.partition(" => ")
    text = HEAD + MACROS + marked.replace("\\n", "\n") + BELOW
    document, candidate = placed(workspace.roots[0], "torn.c", text)
    found = Verifier(workspace).verify(parse(document), candidate)
    workspace.forget(document.uri)
    assert described(found, candidate.text) == expected


LISTED = r"""
int f(stack *s) { return s->^; } => below count items
int f(stack *s) { return s->co^; } => count
stack one = { .^ }; => below count items
int f(stack *s) { return stack_p^; } => stack_push
int f(stack *s) { return stack_push(s, LEVEL_H^); } => LEVEL_HIGH
int f(stack *s) { if (STACK_F^) return 1; } => STACK_FULL
""".strip().splitlines()


@pytest.mark.parametrize("case", LISTED)
def test_the_menu_lists_what_clangd_knows(case: str, workspace: Workspace) -> None:
    marked, _, expected = (HEAD + case).partition(" => ")
    syntax = parse(document(workspace.roots[0], "menu.c", marked.replace("^", "")))
    assert sorted(one.text for one in Lister().at(Site(workspace, syntax, marked.index("^"))).items) == expected.split()


def test_a_call_shows_what_it_takes_and_a_name_what_it_is(workspace: Workspace) -> None:
    text = HEAD + "int f(stack *s) { return stack_push(s, ); }"
    shown, offset = document(workspace.roots[0], "call.c", text), text.index(", )") + 2

    def ask(query: Query) -> tuple[Signatures | None, tuple[Description | None, ...]]:
        return query.signatures(offset), query.descriptions([text.index("stack_push")])

    signatures, (described_name,) = workspace.checker_of(shown).ask(shown, ask).result(PATIENCE)
    assert signatures is not None
    assert described_name is not None
    assert signatures.active_signature.parameters == ("stack *s", "int item")
    assert signatures.active_signature.active == 1
    assert described_name.signature == "int stack_push(stack *s, int item)"


def test_a_header_that_changes_in_the_editor_is_read_again(workspace: Workspace) -> None:
    root = workspace.roots[0]
    source = parse(document(root, "late.c", HEAD + "void f(stack *s) { }"))
    candidate = Candidate(source.document.text.index("}"), "s->added = 1; ")
    assert described(Verifier(workspace).verify(source, candidate), candidate.text) == "rejected no_member"
    header = FILES["stack.h"].replace("size_t count;", "size_t count; int added;")
    workspace.checker_world.open(document(root, "stack.h", header))
    try:
        assert described(Verifier(workspace).verify(source, candidate), candidate.text) == "types"
    finally:
        workspace.checker_world.close((root / "stack.h").as_uri())


def test_a_rename_reaches_what_is_open(tmp_path: Path) -> None:
    files = {**FILES, "a.c": f"{HEAD}int f(stack *s) {{ return stack_push(s, 1); }}\n"}
    root = lay_out(tmp_path, {**files, "b.c": f"{HEAD}int g(stack *s) {{ return stack_push(s, 2); }}\n"})
    with closing(Workspace([root])) as opened:
        opened.index()
        for name in ("a.c", "b.c", "stack.h"):
            shown = opened.document(root / name)
            assert shown is not None
            opened.checker_world.open(shown)
        source = opened.document(root / "a.c")
        assert source is not None
        done = Renamer(opened).run(RenameRequest(parse(source), "stack_push", "stack_add"))
    assert done.failure is None
    assert "stack_add(s, 1)" in done.text
    assert {Path(uri).name for uri in done.rename.changes} >= {"b.c"}


HOSTILE_FLAGS = ["-DGIVEN=1", "-fplugin=PLUGIN", "-Xclang", "-load", "-Xclang", "PLUGIN", "-include", "OUTSIDE"]
EVIL = "#!/bin/sh\ntouch MARKER\n"


def _hostile(folder: Path) -> tuple[Path, Path]:
    """A workspace that would have programs run, plugins loaded and files outside of it read; and what would tell."""
    root, marker, outside = folder / "work", folder / "marker", folder / "outside.h"
    outside.write_text("int from_outside(void);\n")
    lay_out(root, {**FILES, "a.c": "void f(void) { }\n", "evil-gcc": EVIL.replace("MARKER", str(marker))})
    (root / "evil-gcc").chmod(0o755)
    source = folder / "plugin.c"
    source.write_text(
        "#include <stdio.h>\n__attribute__((constructor)) static void loaded(void) "
        f'{{ FILE *made = fopen("{marker}", "w"); if (made) fclose(made); }}\n'
    )
    compiler = shutil.which("cc")
    if compiler is not None:
        subprocess.run([compiler, "-shared", "-fPIC", "-o", str(root / "plugin.so"), str(source)], check=True)
    given = {"PLUGIN": str(root / "plugin.so"), "OUTSIDE": str(outside)}
    flags = [given.get(one, one.replace("PLUGIN", given["PLUGIN"])) for one in HOSTILE_FLAGS]
    entry = {"directory": str(root), "file": "a.c", "arguments": [str(root / "evil-gcc"), *flags, "-c", "a.c"]}
    (root / "compile_commands.json").write_text(json.dumps([entry]))
    (root / ".clangd").write_text(
        f"CompileFlags:\n  Compiler: {root / 'evil-gcc'}\n  Add: [-DCONFIGURED=1, -fplugin={given['PLUGIN']}]\n"
        f"Index:\n  Background: Build\n  External:\n    File: {folder / 'index'}\n    MountPoint: {root}\n"
    )
    return root, marker


@pytest.mark.parametrize("trusted", [False, True])
def test_a_hostile_workspace_starts_loads_and_writes_nothing(tmp_path: Path, trusted: bool) -> None:
    root, marker = _hostile(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with closing(Workspace([root], trusted=trusted)) as opened:
        source = parse(document(root, "a.c", "void f(void) { }\n"))
        candidate = Candidate(source.document.text.index("}"), "int n = GIVEN; ")
        found = described(Verifier(opened).verify(source, candidate), candidate.text)
        pid = opened.checker_of(source.document).pid
        assert pid is not None
        process = psutil.Process(pid)
        assert process.children(recursive=True) == []
        mapped = [one.path for one in process.memory_maps()] if sys.platform == "linux" else []
    assert not any("plugin.so" in one for one in mapped)
    assert sorted(tmp_path.rglob("*")) == before
    assert not marker.exists()
    assert found == ("types" if trusted else "rejected undeclared_var_use")


def test_what_lies_outside_is_read_only_where_the_workspace_is_trusted(tmp_path: Path) -> None:
    root, _ = _hostile(tmp_path)
    results = []
    for trusted in (False, True):
        with closing(Workspace([root], trusted=trusted)) as opened:
            source = parse(document(root, "a.c", "void f(void) { }\n"))
            candidate = Candidate(source.document.text.index("}"), "from_outside(); ")
            results.append(described(Verifier(opened).verify(source, candidate), candidate.text))
    assert results == ["rejected -Wimplicit-function-declaration", "types"]


def test_with_the_built_in_model_ghost_text_comes_by_hand() -> None:
    settings = Settings()
    assert trigger_of(settings, Language.C) is Trigger.MANUAL
    assert trigger_of(settings, Language.PYTHON) is Trigger.AUTOMATIC
    assert trigger_of(replace(settings, model="other"), Language.CPP) is Trigger.AUTOMATIC
    assert trigger_of(replace(settings, inline_trigger={"c": "automatic"}), Language.C) is Trigger.AUTOMATIC
    assert trigger_of(replace(settings, inline_trigger="off"), Language.C) is Trigger.OFF
