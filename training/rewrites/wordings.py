"""Different ways to phrase the same instruction: whole sentences, and sentences assembled from parts.

A model that is trained on two dozen sentences for each kind takes a word of the twenty-fifth for a name. From a
thousand or more it learns which words are names. Some sentences, and all names made of some words, are kept for
evaluation.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum


class UnseenDraw(random.Random):
    """A generator of random numbers with which wordings and identifiers are drawn that no training example has."""


class InstructionKind(StrEnum):
    """What an instruction asks for. The model's card has its figures by kind."""

    RENAME = "rename"
    CONST = "var to const or let"
    ARROW = "function to arrow"
    TEMPLATE = "concatenation to template"
    F_STRING = "formatting to f-string"
    PARAMETER = "add a parameter"
    GUARD = "add a guard"
    CONSTANT = "extract a constant"
    ANNOTATION = "annotate"
    CLEAN = "delete dead code"


WORDINGS: Mapping[InstructionKind, Sequence[str]] = {
    InstructionKind.RENAME: (
        "rename {old} to {new}", "rename `{old}` to `{new}`", "rename the variable {old} to {new}",
        "call {old} {new} instead", "change the name {old} to {new}", "{old} should be called {new}",
        "use the name {new} instead of {old}", "replace the identifier {old} by {new}", "{old} -> {new}",
        "I want {old} to be named {new}", "{new} is a better name for {old}", "give {old} the name {new}",
        "rename {old}, it is {new} now", "in this function, {old} becomes {new} everywhere", "{old} => {new}",
        "s/{old}/{new}/", "the name {old} says too little, make it {new}", "call it {new}, not {old}",
        "{new} would be clearer than {old}", "turn the name {old} into {new}", "what is {old} now shall be {new}",
        "change every {old} to {new}", "substitute {new} for {old}", "rename: {old} to {new}", "rename {old} as {new}",
        "switch from {old} to {new} as the name", "{old} is a bad name. Use {new}", "new name for {old}: {new}",
        "the variable {old}: rename it to {new}", "name {old} {new}", "can {old} be {new}?", "{old} ought to be {new}",
    ),
    InstructionKind.CONST: (
        "use const and let instead of var", "replace var by const or let", "var to const",
        "convert var declarations to let/const", "no var", "modernise the declarations: const or let, not var",
        "replace every var", "use const where nothing is reassigned, let elsewhere", "drop var for const/let",
        "no more var here", "var is outdated, use let and const", "turn var into const and let", "avoid var",
        "make the variables const, or let where they change", "prefer const to var", "change var to const or let",
        "const and let, not var", "ES6 declarations", "block-scoped variables instead of var", "var -> const/let",
        "rewrite the var declarations with const and let", "use modern variable declarations", "remove the vars",
    ),
    InstructionKind.ARROW: (
        "make it an arrow function", "convert to an arrow function", "use an arrow function instead of function",
        "turn {name} into an arrow function", "rewrite {name} as a const arrow function", "arrow function",
        "{name} as an arrow function", "use => here", "write {name} with an arrow",
        "convert {name} to an arrow function",
        "make {name} a const with an arrow function", "no function keyword, use an arrow", "function to arrow",
    ),
    InstructionKind.TEMPLATE: (
        "use template literals", "use a template string instead of concatenation",
        "replace string concatenation by template literals", "convert + to template literals", "use backticks",
        "write the string as a template literal", "use template strings here instead of plus",
        "no string concatenation",
        "interpolate instead of concatenating", "turn the concatenation into a template literal", "template strings",
        "make the strings template literals", "use ${{}} in a template string", "string interpolation, not +",
        "rewrite the concatenated strings with backticks", "concatenation to template literal",
    ),
    InstructionKind.F_STRING: (
        "use f-strings", "convert to f-strings", "replace the formatting by an f-string",
        "use an f-string instead of % or format", "modernise the string formatting", "format with an f-string",
        "turn % and .format into f-strings", "write the strings as f-strings", "f-strings instead of format",
        "no % formatting", "use f-strings instead of old formatting", "make it an f-string", "f-string",
        "rewrite the formatted strings as f-strings", "replace .format and % by f-strings", "% to f-string",
        "convert the string formatting to f-strings", "interpolate with f-strings", "prefer f-strings",
        "the messages should be f-strings", "change the format calls to f-strings",
    ),
    InstructionKind.PARAMETER: (
        "add a parameter {new} with default {value}", "add parameter {new} = {value}",
        "give {name} a parameter {new} that defaults to {value}", "{name} should take {new}={value}",
        "add an optional argument `{new}`, default `{value}`", "add {new} = {value} to the parameters",
        "new parameter {new}, {value} by default", "a last parameter {new} with the default value {value}",
        "let {name} accept {new}, default {value}", "extend the signature with {new}={value}",
        "add an argument named {new}. Its default is {value}", "I need an optional parameter {new} ({value})",
        "add the parameter {new}; if it is not given it is {value}", "{name}: add {new}, by default {value}",
        "one more argument: {new}, {value} unless given",
        "make {name} take another argument {new} defaulting to {value}",
        "append a parameter called {new} whose default is {value}", "parameter {new} with {value} as its default",
    ),
    InstructionKind.GUARD: (
        "return early if {old} is {value}", "add a guard: nothing to do when {old} is {value}",
        "handle {old} being {value} by returning at once", "guard against {value} in {old}",
        "if {old} is {value}, return",
        "bail out if {old} is {value}", "add an early return for {old} being {value}", "return when {old} is {value}",
        "begin with a check: return if {old} is {value}", "{old} may be {value}, then return immediately",
        "stop early when {old} is {value}", "check {old} for {value} first and return",
        "skip everything if {old} is {value}",
    ),
    InstructionKind.CONSTANT: (
        "extract {value} into a constant {new}", "name the value {value}: {new}",
        "replace the magic value {value} by a constant {new}", "put {value} into {new} first",
        "{new} = {value}, and use it",
        "make {value} a constant called {new}", "give {value} a name, {new}", "store {value} in {new} and use that",
        "no magic number {value}, call it {new}", "pull {value} out into {new}",
        "define {new} as {value} and use {new}",
    ),
    InstructionKind.ANNOTATION: (
        "add the return type", "annotate the return type", "add a return annotation", "annotate what {name} returns",
        "type the return value", "add the missing return type", "return type annotation", "say what {name} returns",
        "give {name} a return type", "add a return type hint",
    ),
    InstructionKind.CLEAN: (
        "remove the debug output", "delete the debugging prints", "remove debug statements", "no debug logging here",
        "remove leftover debugging", "clean up the debug code", "delete debug output", "take the debugging out",
        "remove the print that is left over from debugging", "drop the debug lines", "this still has debug output",
        "get the debug code out of it", "no debugging leftovers",
    ),
}  # fmt: skip
PARTS: Mapping[InstructionKind, Sequence[Sequence[Sequence[str]]]] = {
    InstructionKind.RENAME: (
        (
            ("{any} {old}", "{any} the name {old}", "{any} `{old}`", "rename {old}", "the name {old} is unclear",
             "{old} is misleading", "{old} is too short", "about {old}",
             "I don't like {old}", "{old}", "for {old}", "fix the name {old}", "improve the name {old}", "change {old}",
             "the variable {old}", "the identifier {old}", "the local {old}", "find {old}", "as for {old}",
             "take {old}",
             "where it says {old}", "wherever {old} stands", "everywhere you see {old}", "each {old}", "all of {old}",
             "{old} confuses me", "{old} tells nothing", "nobody understands {old}", "we had {old}", "`{old}`",
             "{old} has the wrong name", "look at {old}", "edit {old}", "refactor {old}", "see {old}"),
            (": ", ", ", " - ", "; ", " and ", ". ", ", so ", " -- ", " because "),
            ("it is {new}", "it is called {new}", "it must be {new}", "the new name is {new}", "this becomes {new}",
             "make that {new}", "write {new}", "put {new}", "we say {new} for it", "say {new}", "it means {new}",
             "our team calls it {new}", "that is {new} now", "it holds the {new}", "better is {new}", "spell it {new}",
             "{new} it is", "{new} fits better", "{new}, please", "type {new}", "the right word is {new}",
             "it will be known as {new}", "let us call it {new}", "go with {new}", "I prefer {new}", "we want {new}",
             "our term is {new}", "its proper name: {new}", "use {new}", "insert {new}", "it has to be {new}",
             "it needs to be {new}", "it now goes by {new}", "it shall be {new}", "it should become {new}",
             "pick {new} for it", "it stands for {new}", "the docs say {new}", "set it to {new}", "have {new} there",
             "it would be nicer as {new}", "may it be {new}", "turn that to {new}", "everybody calls this {new}",
             "it should {any} {new}", "it must {any} {new}", "this will {any} {new}", "that can {any} {new}",
             "{any} {new}", "{any} it {new}", "{any} as {new}", "{any} that to {new}", "I {any} {new}",
             "we {any} {new}",
             "they {any} it {new}", "it {any}s {new}", "to {any} it {new}", "the {any} is {new}", "{any}: {new}"),
            ("", "", "", "", " everywhere", " throughout", " in all places", ". The rest stays", ", nothing else",
             ". Keep the comments", " from now on", " at every use", ". Do not touch anything else", " in the body too",
             " and {any} it", ", {any}", " to {any} again"),
        ),
        (
            ("{new}", "the name {new}", "write {new}", "put {new}", "use {new}", "take {new}", "have {new}",
             "say {new}",
             "I want {new}", "we need {new}", "insert {new}", "prefer {new}", "choose {new}", "`{new}`", "set {new}",
             "let it be {new}", "from now on {new}", "show me {new}", "introduce the name {new}", "go for {new}"),
            (" instead of", " rather than", " in place of", ", not", " where now is", " wherever you find", " for",
             " as the new name of", " as the name for", " in all places of", " everywhere for", " to replace"),
            (" {old}", " the {old}", " `{old}`", " the variable {old}", " the old {old}", " the name {old}"),
        ),
        (
            ("let", "have", "make", "see that", "ensure that", "I'd like", "it is time that", "we decided that", "may"),
            (" {old}", " `{old}`", " the variable {old}", " the name {old}", " each {old}"),
            (" is", " be", " gets the name", " be known as", " turn into", " be changed to", " be replaced by",
             " becomes", " is written", " is spelled", " has the name", " be titled", " is labelled", " is termed"),
            (" {new}", " {new} in this code", " {new} now", " {new} at all places", " `{new}`", " {new} from here on"),
        ),
    ),
    InstructionKind.CONST: (
        (
            ("use", "write", "take", "switch to", "prefer", "move to", "go for", "I want", "we use", "make it", "only",
             "the declarations need", "it should have", "migrate to", "update the code to", "all variables with"),
            (" const and let", " const or let", " let and const", " const, let where it is assigned again",
             " const where possible and let elsewhere", " const, or let when the value changes", " block scope",
             " const (let for what changes)", " modern declarations", " let/const", " const, and let if needed"),
            ("", " instead of var", " rather than var", " for every var", " everywhere", " in place of var",
             ", not var",
             " where var stands", ", never var", " and no var", " since var is old", " for all variables"),
        ),
        (
            ("no more var", "var is old", "var must go", "remove var", "replace var", "eliminate var",
             "the var keyword",
             "all var declarations", "stop using var", "each var", "var leaks", "the linter complains about var",
             "var is forbidden here", "I see var", "we do not write var", "kill var", "throw out var"),
            (": ", ", ", ". ", "; ", " - ", ", so "),
            ("const and let", "const or let", "use const, let where it changes", "take const and let", "let or const",
             "write const (or let)", "make these const or let", "const if it is never assigned again, else let",
             "const is better, let if you must", "they become const or let"),
        ),
    ),
    InstructionKind.F_STRING: (
        (
            ("use", "write", "take", "move to", "prefer", "go for", "I want", "we use", "make it", "rewrite it with",
             "migrate to", "update this to", "this needs", "change it to", "do it with", "all strings with"),
            (" f-strings", " an f-string", " f-string literals", " formatted string literals", ' f"..." strings'),
            ("", " instead of %", " instead of format()", " rather than % formatting", " in place of .format",
             " everywhere", ", not %", " where strings are formatted", " for the messages", ", no .format",
             " wherever values are put into strings", " for interpolation", " instead of the old style"),
        ),
        (
            ("% formatting is old", "no more %", "replace the % operator", "the .format calls", "remove .format",
             "old formatting", "all these % strings", "string formatting", "the formatted strings", "stop using format",
             "the linter dislikes %", "printf style is outdated", "the strings are hard to understand"),
            (": ", ", ", ". ", "; ", " - ", ", so "),
            ("f-strings", "use f-strings", "make them f-strings", "an f-string is shorter", "write f-strings",
             "interpolate with f", "f-strings are clearer", "they become f-strings", "take f-strings"),
        ),
    ),
    InstructionKind.TEMPLATE: (
        (
            ("use", "write", "take", "move to", "go for", "I want", "we use", "make it", "rewrite it with",
             "migrate to", "update this to", "this needs", "change it to", "do it with", "all strings with"),
            (" template literals", " a template literal", " template strings", " backticks", " a template string",
             " interpolation", " `...` strings"),
            ("", " instead of +", " and no +", " rather than concatenation", " in place of concatenation", ", not +",
             " everywhere", " where strings are joined", " for the messages", " wherever + joins strings"),
        ),
        (
            ("no more +", "the concatenation", "remove the plus signs", "string concatenation is ugly",
             "joined strings",
             "these + chains", "stop adding strings", "the linter dislikes +", "adding strings is old"),
            (": ", ", ", ". ", "; ", " - ", ", so "),
            ("template literals", "use backticks", "make it a template literal", "use a template", "interpolate",
             "write template strings", "it becomes a template literal", "take template literals"),
        ),
    ),
    InstructionKind.PARAMETER: (
        (
            ("{name} gets", "{name} takes", "{name} wants", "give {name}", "the function needs", "we need", "I want",
             "let there be", "include", "introduce", "{name} has to have", "the signature gets", "add", "put in",
             "callers may pass", "make room for", "add to {name}"),
            (" a new parameter", " another parameter", " one more argument", " an optional parameter", " an argument",
             " a last parameter", " an extra argument", " a parameter", " an option", " an additional parameter"),
            (" {new}", " named {new}", " called {new}", " `{new}`", ", {new}", " ({new})", ": {new}"),
            (", {value} by default", " with default {value}", " (default {value})", " = {value}", ", else {value}",
             ". It is {value} if not given", " that is {value} when omitted", " defaulting to {value}",
             "; its default value is {value}", ", usually {value}", ", with {value} when left out",
             ", default: {value}"),
        ),
    ),
    InstructionKind.GUARD: (
        (
            ("when {old} is {value}", "if {old} is {value}", "in case {old} is {value}", "for {old} equal to {value}",
             "{old} can be {value}", "sometimes {old} is {value}", "as soon as {old} is {value}",
             "should {old} be {value}", "with {value} as {old}", "{value} for {old}"),
            (", ", ": ", ", then ", "; in that case ", " - "),
            ("return", "return at once", "return first", "leave at once", "stop", "exit early", "get out",
             "there is nothing to do", "give up early", "just return", "end here", "return without doing anything"),
        ),
        (
            ("return", "return at once", "leave", "stop", "exit early", "quit", "bail", "add an early exit",
             "insert a check that returns", "the function should return", "begin with a return", "give up"),
            (" when {old} is {value}", " if {old} is {value}", " in case {old} is {value}", " for {old} being {value}",
             ", should {old} be {value}", " as long as {old} is {value}", " where {old} is {value}"),
        ),
    ),
    InstructionKind.CONSTANT: (
        (
            ("give", "put", "take", "move", "extract", "pull", "replace", "turn", "the number {value}: put",
             "magic numbers are bad: move"),
            (" {value}", " the value {value}", " the number {value}", " the literal {value}", " that {value}"),
            (" into {new}", " as {new}", " to {any} {new}", " and {any} it {new}", " to a variable {new}",
             " into a constant {new}", " under the name {new}",
             " to {new} and use that", " with {new}", " by a name, {new}", " into a local called {new}"),
        ),
        (
            ("{any}", "{any} a", "{any} the name", "{any} a constant", "{any} a local", "{any} the constant", "make a"),
            (" {new}",),
            (" for {value}", " for the value {value}", " in place of {value}", " instead of {value}",
             " to hold {value}",
             " with the value {value}", " for the literal {value}", ", it is {value}", " = {value}"),
        ),
        (
            ("{value} is a magic number", "what is {value}?", "{value} should have a name", "the literal {value}",
             "nobody knows what {value} is", "name {value}", "I see {value} in the code", "about {value}"),
            (": ", ", ", ". ", "; ", " - "),
            ("call it {new}", "{new}", "make it {new}", "it is the {new}", "say {new}", "put it into {new}",
             "define {new} for it", "let {new} hold it", "use a constant {new}", "store it as {new}"),
        ),
    ),
}  # fmt: skip
"""By kind: forms of sentences. A form is a sequence of places, and a sentence has one piece from each place."""
_ANY = re.findall(
    r"\w+",
    """accept add allow answer apply ask bear begin bind bring build buy carry cast catch change check choose
    claim clear close come compare copy count cover cut deal deliver denote describe design do draw drop enter
    equal exist expect explain express feel fetch find finish fit follow form gain gather give go grow guess
    hand hang hear help hide hit hold join jump keep know land last lay lead lean learn leave lend lie lift
    like list live load lock look lose love mark match mean measure meet mention mind move need note offer
    open order own pass pay pick place play point post pull push put raise reach receive remain repeat reply
    represent rest return ride ring rise roll run save say see seem sell send serve set shape share shift show
    shut sign signal sing sit sound speak spell spread stand start state stay stick stop store strike study
    suggest suit take talk teach tell test thank think throw touch trade try turn understand use visit voice
    wait walk want warn watch wear win wish wonder work write""",
)
"""What may replace `{any}`: verbs whose meaning does not matter there. A model that has read only the verbs of the
sentences takes other verbs for names."""
_COMPOSED = 0.6
"""The share of instructions that are assembled from parts, if the kind has parts; the others are whole sentences."""
_BEFORE = ("please ", "can you ", "could you please ", "now ", "next: ", "I would like you to ", "TODO: ", "refactor: ")
_AFTER = (" please", ", please", " here", " in this function", ", thanks", "!", " and change nothing else")
_POLITE = 0.3
"""The share of instructions with a phrase before, and the share with one after."""


UNSEEN_WORDINGS: Mapping[InstructionKind, Sequence[str]] = {
    InstructionKind.RENAME: ("Please rename {old}: it should read {new}.", "let {old} be named {new} everywhere"),
    InstructionKind.CONST: (
        "get rid of var in favour of const and let",
        "Declare variables with const, or let if reassigned.",
    ),
    InstructionKind.ARROW: ("switch this function to arrow syntax", "I would like {name} as an arrow function."),
    InstructionKind.TEMPLATE: (
        "build the strings with template literals instead of plus",
        "prefer backticks with ${{}} over +",
    ),
    InstructionKind.F_STRING: ("switch the string formatting here to f-strings", "Please format with f-strings."),
    InstructionKind.PARAMETER: ("{name} needs one more parameter, {new}, which defaults to {value}",),
    InstructionKind.GUARD: ("do nothing and return when {old} is {value}",),
    InstructionKind.CONSTANT: ("introduce {new} for the number {value}",),
    InstructionKind.ANNOTATION: ("declare what it returns",),
    InstructionKind.CLEAN: ("strip the debugging statements",),
}
"""The sentences that are kept for evaluation."""


def draw_wording(kind: InstructionKind, draw: random.Random, **names: str) -> str:
    """A random wording of an instruction, with the names in it; half are capitalised, and half end with a full stop."""
    if isinstance(draw, UnseenDraw):
        return draw.choice(UNSEEN_WORDINGS[kind]).format(**names)
    if kind in PARTS and draw.random() < _COMPOSED:
        pieces = (draw.choice(place) for place in draw.choice(PARTS[kind]))
        instruction = "".join(piece.replace("{any}", draw.choice(_ANY)) for piece in pieces)
    else:
        instruction = draw.choice(WORDINGS[kind])
    if draw.random() < _POLITE:
        instruction = draw.choice(_BEFORE) + instruction
    if draw.random() < _POLITE:
        instruction += draw.choice(_AFTER)
    if draw.random() < 0.5 and not instruction.startswith(("{", "s/")):  # noqa: PLR2004 - half of them
        instruction = instruction[0].upper() + instruction[1:]
    if draw.random() < 0.5 and not instruction.endswith(("!", "?", "/", "{value}")):  # noqa: PLR2004 - as above
        instruction += "."
    return instruction.format(**names)
