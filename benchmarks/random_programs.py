"""Random programs, each in JavaScript and in Python: their texts parse, and their grammars read the same texts.

    inscope bench random_programs parse --count 10000
    inscope bench random_programs lower --count 200

parse  Draws programs of combinators, and from each a text. The language's own engine must be able to parse the text.
lower  Draws programs that branch on what was written. Texts of a program must be accepted by all engines that read its
       grammar. Texts of the grammar, drawn through llguidance, must be accepted by the program, unless the grammar is
       declared to be wider.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random

from benchmarks.grammar_engines import EbnfEngine, GbnfEngine, GrammarEngine, LarkEngine, LLGuidanceEngine
from benchmarks.program_texts import walk
from decoder.constraint.protocol import Refusal
from decoder.controller.quickjs import Machine
from decoder.program import Program, ProgramConstraint, ProgramError, combinators
from decoder.program.combinators import Main

Pair = tuple[str, str]
"""The same piece of a program, in JavaScript and in Python."""
_NAMES = ("total", "user", "x1", "api.url", "user.names[0]", "make(1).it", "a.b.c")
_TEXTS = ("", "a b", 'say "no"', "{x}", "${x} `y`", "a\\b", "é\n", "</script>")
_BATCH = 100
"""Programs that share one machine."""
_OF_GRAMMAR = 10
"""Texts that are drawn from a grammar."""


@dataclass
class ProgramDraw:
    """Draws random pieces of programs, each in both languages. `depth` counts the pieces around one."""

    draw: Random

    def value(self, depth: int = 0) -> Pair:
        """An expression."""
        deep = (self.call, self.object, self.either, self.formula, self.member)
        flat = (self.blank, self.constant, self.string, self.member, self.name, self.options)
        return self.draw.choice((*flat, *deep) if depth < 2 else flat)(depth + 1)  # noqa: PLR2004 - deep enough

    def blank(self, _depth: int = 0) -> Pair:
        """Any value of a type."""
        return self.draw.choice([("num()", "num()"), ("str()", "str_()"), ("bool()", "bool_()"), ("num", "num")])

    def constant(self, _depth: int = 0) -> Pair:
        """A constant of the program's."""
        value = self.draw.choice([0, -3, 2.5, *_TEXTS])
        return json.dumps(value), repr(value)

    def name(self, _depth: int = 0) -> Pair:
        """Any name."""
        return "id()", "id_()"

    def string(self, _depth: int = 0) -> Pair:
        """A string with blanks."""
        head, tail = self.draw.choice(_TEXTS), self.draw.choice(_TEXTS)
        script, python = self.blank() if self.draw.random() < 0.7 else ('"-"', '"-"')  # noqa: PLR2004 - a share
        return f"str({_template(head, tail)}, {script})", f"str_({head!r}, {python}, {tail!r})"

    def subject(self) -> Pair:
        """What is called or has members, as the arguments of a tag."""
        if self.draw.random() < 0.3:  # noqa: PLR2004 - a share
            return _template("", ".it") + ", id()", "id_(), '.it'"
        name = self.draw.choice(_NAMES)
        return _template(name), repr(name)

    def call(self, depth: int) -> Pair:
        """A call."""
        script, python = self.subject()
        arguments = [self.value(depth) for _ in range(self.draw.randrange(3))]
        if self.draw.random() < 0.3:  # noqa: PLR2004 - a share
            inner = self.value(depth)
            arguments.append((f"arg({_template('key')})({inner[0]})", f'arg({inner[1]}, "key")'))
        scripts, pythons = _join(arguments)
        return f"callOf({script})({scripts})", f"call_of({python})({pythons})"

    def member(self, depth: int) -> Pair:
        """A member."""
        script, python = self.subject()
        properties = []
        for _ in range(self.draw.randrange(1, 4)):
            name = self.draw.choice(("size", "a-b", "in", "0"))
            properties.append((f"property({_template(name)})", f"property_({name!r})"))
        if self.draw.random() < 0.5:  # noqa: PLR2004 - a share
            key = self.value(depth + 1)
            properties.append(
                (f"computedProperty({_template('', '')}, oneOf({key[0]}))", f"computed_property(one_of({key[1]}))")
            )
        scripts, pythons = _join(properties)
        tag = self.draw.choice([("membersOf", "members_of"), ("memberOf", "member_of")])
        return f"{tag[0]}({script})({scripts})", f"{tag[1]}({python})({pythons})"

    def object(self, depth: int) -> Pair:
        """An object."""
        pairs = []
        for name in self.draw.sample(("size", "a-b", "in", "0", "x y"), self.draw.randrange(3)):
            value = self.value(depth)
            pairs.append((f"property({_template(name)})({value[0]})", f"property_({name!r})({value[1]})"))
        scripts, pythons = _join(pairs)
        return f"obj({scripts})", f"obj({pythons})"

    def either(self, depth: int) -> Pair:
        """One of several values. One of them is a call, as a choice of texts alone has nothing to check."""
        scripts, pythons = _join([self.call(depth), *(self.value(depth) for _ in range(self.draw.randrange(3)))])
        return f"oneOf({scripts})", f"one_of({pythons})"

    def formula(self, depth: int) -> Pair:
        """Text with an expression in it."""
        value = self.value(depth)
        return f"$({_template('x * (', ') + 1')}, oneOf({value[0]}))", f"text('x * (', one_of({value[1]}), ') + 1')"

    def options(self, _depth: int = 0) -> Pair:
        """One of some texts."""
        texts = self.draw.sample(("a", "b.c", "f(1)", "12"), 2)
        return f"gen({{ options: {json.dumps(texts)} }})", f"gen(options={texts!r})"

    def statement(self) -> Pair:
        """A statement."""
        kind, value = self.draw.random(), self.value()
        if kind < 0.5:  # noqa: PLR2004 - a share
            return f"variable({_template('', 'x')}, id())({value[0]})", f"variable(id_(), 'x')({value[1]})"
        if kind < 0.7:  # noqa: PLR2004 - a share
            return f"returnOf({value[0]})", f"return_of({value[1]})"
        return self.call(1)

    def program(self) -> Pair:
        """The body of a main: statements one after another, or repeated."""
        awaited = [self.statement() for _ in range(self.draw.randrange(3))]
        if self.draw.random() < 0.4:  # noqa: PLR2004 - a share
            known = f"property({_template('name')})(str)", "property_('name')(str_)"
            subject = f"membersOf({_template('user')})", "members_of('user')"
            awaited.insert(0, (f"contextOf({subject[0]}({known[0]}))", f"context_of({subject[1]}({known[1]}))"))
        if self.draw.random() < 0.5:  # noqa: PLR2004 - a share
            repeated = _join([self.statement() for _ in range(self.draw.randrange(1, 4))])
            awaited.append((f"manyOf({repeated[0]})", f"many_of({repeated[1]})"))
        awaited.append(self.either(1) if self.draw.random() < 0.3 else self.statement())  # noqa: PLR2004 - a share
        scripts = [f"  await {script}" for script, _ in awaited]
        return "\n".join(scripts), "\n".join(f"    await {python}" for _, python in awaited)

    def branching(self, depth: int = 0, margin: str = "") -> Pair:
        """The body of a main whose later parts depend on what was written."""
        scripts, pythons = [], []
        for _ in range(self.draw.randrange(1, 3) if depth else 3):
            script, python = self.part()
            if depth > 1 or self.draw.random() < 0.6:  # noqa: PLR2004 - a share
                scripts.append(f"{margin}  await {script}")
                pythons.append(f"{margin}    await {python}")
                continue
            texts, wanted = self.choice()
            then, otherwise = self.branching(depth + 1, margin + "    "), self.branching(depth + 1, margin + "    ")
            scripts.append(
                f"{margin}  if ((await {texts[0]}) === {json.dumps(wanted)}) {{\n{then[0]}\n{margin}  }} else {{\n"
                f"{otherwise[0]}\n{margin}  }}"
            )
            pythons.append(
                f"{margin}    if (await {texts[1]}) == {wanted!r}:\n{then[1]}\n{margin}    else:\n{otherwise[1]}"
            )
        return "\n".join(scripts), "\n".join(pythons)

    def part(self) -> Pair:
        """A part on whose text nothing depends."""
        regex = self.draw.choice((r"[a-z]{1,3}", r"\d+", r"(ab|c)*d", r"[^\n]", r"x?y{2}"))
        free = f"gen({{ regex: /{regex}/ }})", f"gen(regex=r'{regex}')"
        fixed = self.draw.choice(("-", " and ", '"', "\\", "é\U0001f600", "\t"))
        return self.draw.choice([free, (f"$({_template(fixed)})", f"text({fixed!r})"), self.call(1), self.string()])

    def choice(self) -> tuple[Pair, str]:
        """A part that may write only a few texts, and a text to compare with: mostly one of these."""
        if self.draw.random() < 0.3:  # noqa: PLR2004 - a share
            return ("gen({ regex: /[ab][01]?/ })", "gen(regex='[ab][01]?')"), self.draw.choice(("a", "b1", "no"))
        texts = self.draw.sample(("yes", "no", "y", "never mind"), self.draw.randrange(1, 4))
        return (f"gen({{ options: {json.dumps(texts)} }})", f"gen(options={texts!r})"), self.draw.choice(texts)


def _template(*strings: str) -> str:
    """The argument that JavaScript passes to a tag for a template with these strings."""
    quoted = json.dumps(list(strings))
    return f"Object.assign({quoted}, {{ raw: {quoted} }})"


def _join(pairs: Iterable[Pair]) -> Pair:
    """The pieces as lists of arguments."""
    pieces = [*pairs]
    return ", ".join(script for script, _ in pieces), ", ".join(python for _, python in pieces)


def python_main(body: str) -> Main:
    """The main function of a program in Python, from its body."""
    names = {name: getattr(combinators, name) for name in dir(combinators)}
    exec(f"async def main():\n{body}", names)  # noqa: S102 - drawn above
    main: Main = names["main"]
    return main


def scripts(bodies: list[str]) -> Iterator[ProgramConstraint]:
    """The constraints of programs in JavaScript, from their bodies.

    All run in one machine: the text's first part is the number of the program. Each constraint has read it.
    """
    mains = ",\n".join(f"async () => {{\n{body}\n}}" for body in bodies)
    numbers = json.dumps([f"{index}/" for index in range(len(bodies))])
    source = (
        f"const all = [{mains}]\nasync function main() {{ await all[parseInt(await gen({{options: {numbers}}}))]() }}"
    )
    start = Program.read("program.js", source).constraint()
    for index in range(len(bodies)):
        state = start.advance(f"{index}/")
        assert not isinstance(state, Refusal)  # noqa: S101 - it is one of the options
        yield state


def pythons(bodies: list[str]) -> Iterator[ProgramConstraint]:
    """The constraints of programs in Python, from their bodies."""
    for body in bodies:
        yield Program.of(python_main(body)).constraint()


def reads_javascript(machine: Machine, text: str) -> bool:
    """Whether JavaScript parses a text as the body of a function or as an expression."""
    check = "(text => { try { new Function(text); return '1' } catch { return '' } })"
    return bool(machine.ask(f"{check}({json.dumps(text)})") or machine.ask(f"{check}({json.dumps(f'({text})')})"))


def reads_python(text: str) -> bool:
    """Whether Python parses a text as the body of a function."""
    body = "".join(f"    {line}\n" for line in text.split("\n"))
    try:
        compile(ast.parse(f"def f():\n{body}"), "<text>", "exec")
    except SyntaxError:
        return False
    return True


def unread(count: int, seed: int, language: str) -> list[str]:
    """The texts of `count` random programs, one of each, that the language's engine does not parse."""
    draw = Random(seed)  # noqa: S311 - the same each time
    machine, refused = Machine({}, deadline_s=60.0), []
    reads: Callable[[str], bool] = (
        reads_python if language == "python" else lambda text: reads_javascript(machine, text)
    )
    for start in range(0, count, _BATCH):
        pairs = [ProgramDraw(draw).program() for _ in range(min(_BATCH, count - start))]
        is_python = language == "python"
        states = pythons([python for _, python in pairs]) if is_python else scripts([script for script, _ in pairs])
        for state in states:
            text = walk(state, draw, free=draw.randrange(60)).removeprefix(state.text)
            if not reads(text):
                refused.append(text)
    return refused


@dataclass(frozen=True, slots=True)
class Missed:
    """A text that either a program or its grammar refuses."""

    engine: str
    """The engine that read the grammar."""
    text: str
    by: str
    """Which of both refuses the text: `grammar` a text of the program, or `program` a text of the grammar."""


def find_differences(seed: int, language: str, texts: int, *, branches: bool = True) -> list[Missed]:
    """Where one random program and its grammars differ, on so many texts.

    Args:
        branches: Whether the program branches on what was written; else it is made of all combinators.

    Raises:
        ProgramError: the program has more branches than are followed.
    """
    draw = Random(seed)  # noqa: S311 - the same each time
    script, python = ProgramDraw(draw).branching() if branches else ProgramDraw(draw).program()
    program = (
        Program.of(python_main(python))
        if language == "python"
        else Program.read("program.js", f"async function main() {{\n{script}\n}}")
    )
    return differences(program, draw, texts)


def differences(program: Program, draw: Random, texts: int) -> list[Missed]:
    """Where a program and its grammars differ, on `texts` texts of the program and some of the grammar."""
    start = program.constraint()
    drawn = [walk(start, draw, free=draw.randrange(30)) for _ in range(texts)]
    lark, gbnf, ebnf = (program.lowered(dialect) for dialect in ("lark", "gbnf", "ebnf"))
    guidance = LLGuidanceEngine(lark.text)
    engines: dict[str, GrammarEngine] = {
        "lark": LarkEngine(lark.text), "llguidance": guidance,
        "gbnf": GbnfEngine(gbnf.text), "ebnf": EbnfEngine(ebnf.text),
    }  # fmt: skip
    different = [
        Missed(name, text, "grammar") for text in drawn for name, engine in engines.items() if not engine.accepts(text)
    ]
    if not any(sentence.startswith("wider") for sentence in lark.approximated):
        different += [
            Missed("llguidance", text, "program")
            for text in guidance.texts(draw, _OF_GRAMMAR)
            if not _accepts(start, text)
        ]
    return different


def _accepts(start: ProgramConstraint, text: str) -> bool:
    """Whether a program accepts a whole text."""
    state = start.advance(text)
    return not isinstance(state, Refusal) and state.may_stop() is None


def main() -> None:
    """Draw programs of both languages, and print how many texts are wrong, and the first of them."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("mode", choices=["parse", "lower"])
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--texts", type=int, default=20)
    options.add_argument("--language", action="append", choices=["javascript", "python"])
    arguments = options.parse_args()
    for language in arguments.language or ("javascript", "python"):
        refused = 0
        if arguments.mode == "parse":
            wrong: list[object] = [*unread(arguments.count, arguments.seed, language)]
        else:
            wrong = []
            for seed in range(arguments.seed, arguments.seed + arguments.count):
                try:
                    wrong += find_differences(seed, language, arguments.texts)
                except ProgramError:  # more ways than are followed
                    refused += 1
        print(f"{language}: {arguments.count:,} programs, {refused} refused as too many, {len(wrong)} texts wrong")
        for text_or_missed in wrong[:5]:
            print(f"  {text_or_missed!r}")


if __name__ == "__main__":
    main()
