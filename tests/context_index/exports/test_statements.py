"""Under which names a module exports something already."""

from __future__ import annotations

import pytest

from context_index import Document, Language, exported_names, parse

# a text with the cursor as ^, which may be missing: no name ends there -> the names
CASES = """
export const a = 1, { b, c: [d] } = e;       -> a b d
export function f() {} export class A {}     -> f A
export { a, b as c }; export { d } from 'e'  -> a c d
export * as a from 'a'; export * from 'b'    -> a
export default a;                            -> default
export default function f() {}               -> default
export { a as default, ^b }                  -> default
export { a, b^ }                             -> a
export { a, ^b, c }                          -> a c
export { a^, b as c }                        -> c
export { a as b, c };                        -> b c
var a; let b; function c() {}                ->
{ export const a = 1; }                      ->
module.exports = { a };                      ->
"""
TYPED = """
export interface A {} export type B = A;     -> A B
export enum A {} export const enum B {}      -> A B
export declare const a: number, b: string;   -> a b
export namespace A { export const b = 1; }   -> A
export abstract class A {}                   -> A
export function f(): void;                   -> f
export type { A, B as C } from 'a';          -> A C
export import a = require('a');              -> a
export = a;                                  ->
export default interface A {}                ->
declare module 'a' { export const b = 1; }   ->
"""


@pytest.mark.parametrize(
    ("language", "line"),
    [(Language.JAVASCRIPT, line) for line in CASES.strip().splitlines()]
    + [(Language.TYPESCRIPT, line) for line in (CASES + TYPED).strip().splitlines() if line.strip()],
)
def test_names_of_exports(language: Language, line: str) -> None:
    text, expected = line.split("->")
    place = max(text.find("^"), 0) if "^" in text else len(text)
    syntax = parse(Document("file:///a.ts", language, text.replace("^", "")))
    assert exported_names(syntax, place) == {*expected.split()}


def test_python_exports_nothing() -> None:
    assert exported_names(parse(Document("file:///a.py", Language.PYTHON, "export = 1\n")), 0) == frozenset()
