"""Grammars that we know nothing about: any compiled parser will do, with a lexer that is ready at once."""

from __future__ import annotations

import ctypes
import random
import struct

import pytest
import tree_sitter

from decoder.grammar import Grammar, GrammarError
from decoder.grammar.tables import Tables

TEXTS = {
    "go": """package main

import ("fmt"; m "math")

type Shop[T any] struct { items map[string][]T; n int `json:"n"` }

func (s *Shop[T]) Add(xs ...T) (n int, err error) {
	for i, x := range xs { if i%2 == 0 { continue }; s.items["a"] = append(s.items["a"], x) }
	go func() { ch <- m.Pi }()
	return len(xs), nil
}
""",
    "rust": """//! Shop
use std::{collections::HashMap, fmt as f};
/* outer /* inner */ */
#[derive(Debug)] pub struct Shop<'a, T: Clone> { items: &'a [T], n: Option<u8> }
impl<'a, T: Clone + 'static> Shop<'a, T> {
    pub fn add(&mut self, x: T) -> Result<(), String> {
        let s = r#"raw "x""#; let c = 'a'; let v = vec![1u8, 0x_2];
        match self.n {
            Some(1..=5) | None => Ok(()), Some(n) if n > 3 => Err(format!("{n}{}", s))?, _ => loop { break } }
    }
}
""",
    "c": """#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef struct shop { int n; char *name[4]; } shop_t;
#ifdef X
static unsigned long f(const shop_t *s, ...) {
  for (int i = 0; i < s->n; i++) { if (!s) goto end; } end: return 'a' | 0x1FUL; }
#endif
int main(void) { printf("%d\\n", MAX(1, sizeof(int)) ); do { } while (0); return 0; }
""",
    "java": """package shop;
import java.util.*;
/** A shop. */
@Deprecated public final class Shop<T extends Comparable<T>> implements Iterable<T> {
  private final Map<String, List<? super T>> items = new HashMap<>();
  enum Colour { RED, GREEN { int x() { return 1; } } }
  public T get(int i) throws Exception { return i > 1 ? (T) null : list.stream().map(x -> x + 1).toList().get(i); }
  int old(Object o) { return switch (o) { case Integer n when n > 3 -> n; default -> { yield 0x1; } }; }
}
""",
    "json": """{"name": "shop", "prices": [1, -2.5e3, true, null, {"x": "a\\"b\\u00e9"}], "": {}}
""",
}


def accepts(grammar: Grammar, text: str, draw: random.Random) -> bool:
    state, at = grammar.start(), 0
    while at < len(text):
        following = state.feed(chunk := text[at : at + draw.randint(1, 8)])
        if following is None:
            return False
        state, at = following, at + len(chunk)
    return state.complete()


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("portable", [False, True])
def test_any_compiled_parser(name: str, portable: bool) -> None:
    capsule = pytest.importorskip(f"tree_sitter_{name}").language()
    parser = tree_sitter.Parser(tree_sitter.Language(capsule))
    grammar = Grammar.of_parser(capsule, portable=portable)
    draw = random.Random(1)
    text = TEXTS[name]
    assert not parser.parse(text.encode()).root_node.has_error
    assert accepts(grammar, text, draw)
    for _ in range(5 if portable else 25):
        start = draw.randrange(len(text))
        spoilt = text[:start] + text[start + draw.randint(1, 6) :]
        assert accepts(grammar, spoilt, draw) == (not parser.parse(spoilt.encode()).root_node.has_error), spoilt


def test_an_unknown_abi_is_a_sentence() -> None:
    other = ctypes.create_string_buffer(struct.pack("<I", 99), 4096)
    with pytest.raises(GrammarError, match=r"ABI 99 \(we read 13 to 15\)"):
        Tables(ctypes.addressof(other))
