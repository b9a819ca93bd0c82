"""Sample programs in languages of which few files are at hand, and the languages' grammars from their packages.

Of these languages only C ships with us. The grammar engine is checked on the others too, as it should know no language.
Learning the lexer of one takes minutes, so what is learned is kept.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from decoder.grammar import Grammar
from decoder.grammar.learn import learn
from decoder.grammar.lexer import Lexer, load, save
from decoder.grammar.pinned import kept_path
from decoder.grammar.tables import Tables

SAMPLES: Final = {
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
"""A program for each language. The keys are the names in the languages' packages, such as `tree_sitter_go`."""


def package(name: str) -> str:
    """The name of the module with a language's compiled parser."""
    return f"tree_sitter_{name}"


def is_installed(name: str) -> bool:
    """Whether the package of a language is installed."""
    return find_spec(package(name)) is not None


def capsule(name: str) -> object:
    """The compiled parser of a language, as its package returns it.

    Raises:
        ImportError: the package is not installed.
    """
    return import_module(package(name)).language()


def learn_grammar(name: str, *, portable: bool = False) -> Grammar:
    """The grammar of a language with its learned lexer, from the user's cache or learned now and kept there.

    Args:
        portable: Whether to use the lexer that is written in Python.
    """
    tables = Tables(capsule(name))
    fingerprint = tables.fingerprint()
    path = kept_path(name, fingerprint)
    lexer = load(path, fingerprint)
    if lexer is None:
        sys.stderr.write(f"Learning the lexer of {name}, which takes some minutes; it is kept at {path}.\n")
        tokens, keywords = learn(tables)
        save(path, tokens, keywords, fingerprint)
        lexer = Lexer(tokens, keywords)
    return Grammar(tables, lexer, portable=portable)
