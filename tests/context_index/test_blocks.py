"""What a text leaves open, as a preprocessor reads it: brackets by their sign, conditional parts by their directive."""

import pytest

from context_index import Language, blocks_of

# a text => what is open at its end
OPEN = r"""
int f(int a) { g(a[1], => { (
int f(int a) { g('(', "{"); /* { */ // {\n => {
int f(int a) {\n#if X\n  if (a) {\n#else\n  if (b) {\n#endif\n    g(); => { {
int f(int a) {\n# if X\n  if (a) {\n# elif Y\n  while (b) {\n    h(1, => { # { (
int f(int a) {\n#ifdef X\n  g(); => { #ifdef
int f(int a) {\n#ifdef X\n  g();\n#ifndef Y\n  h();\n#endif\n#endif\n} => nothing
#define BEGIN {\\\n  (\nint f(int a) { => {
#if X\n}\n#endif\nint f(int a) { => {
#endif\n#else\nint f(int a) { => {
int f(int a) {\n#if X\n}\n#else\n  g();\n}\n#endif\n => nothing
""".strip().splitlines()


@pytest.mark.parametrize("case", OPEN)
def test_what_is_open(case: str) -> None:
    text, _, expected = case.partition(" => ")
    read = blocks_of(Language.C, text.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\"))
    assert (" ".join(opener.text.split()[0] for opener in read.open) or "nothing") == expected


def test_only_what_counts_is_read() -> None:
    text = "a;\n#if X\n if (a) {\n#else\n if (b) {\n#endif\n  do {\n#ifdef Y\n    c(\n"
    read = blocks_of(Language.C, text)
    assert len(read.text) == len(text)
    assert " ".join(read.text.split()) == "a; if (b) { do { #ifdef Y c("
    assert [read.text[statement.start :].split()[:2] for statement in read.statements] == [
        ["#ifdef", "Y"],
        ["do", "{"],
        ["if", "(b)"],
    ]
    assert [opener.words for opener in read.open] == ["", "do", "", "c"]
