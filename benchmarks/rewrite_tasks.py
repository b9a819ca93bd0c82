"""A hundred rewrites that the built-in model's recipe does not have: twenty kinds, each of five functions.

They are the tasks of `inscope bench rewrites`. Each has a region of a file, the text before and after it, the
instruction, the expected region, and a file that imports it. Instructions and names are not the recipe's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_SUBJECTS = (
    ("ship_cost", "crates", "pier", "weight"),
    ("tally_votes", "ballots", "ward", "count"),
    ("trim_hedge", "hedges", "blade", "height"),
    ("brew_tea", "kettles", "leaf", "degrees"),
    ("fold_map", "sheets", "crease", "width"),
)
"""Function, list, second parameter, member."""

# A kind is a line `kind|language|instruction`, the region before, `=>`, and the region after. The letters F, P, Q and W
# are replaced by the four words of a subject.
_KINDS = r'''
guard clause|py|return 0 at the start if P is None
def F(P):
    total = 0
    for one in P:
        total += one
    return total
=>
def F(P):
    if P is None:
        return 0
    total = 0
    for one in P:
        total += one
    return total
default value|py|give Q the default value 3
def F(P, Q):
    return len(P) * Q
=>
def F(P, Q=3):
    return len(P) * Q
docstring|py|add the docstring "The W of all P."
def F(P):
    return sum(one.W for one in P)
=>
def F(P):
    """The W of all P."""
    return sum(one.W for one in P)
comprehension|py|use a list comprehension instead of the loop
def F(P):
    found = []
    for one in P:
        found.append(one.W)
    return found
=>
def F(P):
    return [one.W for one in P]
string to constant|py|move "-Q" to a constant SUFFIX above the function
def F(P):
    return P + "-Q"
=>
SUFFIX = "-Q"


def F(P):
    return P + SUFFIX
identity with None|py|compare with None by identity
def F(P, Q):
    if Q == None:
        return len(P)
    return Q
=>
def F(P, Q):
    if Q is None:
        return len(P)
    return Q
swapped branches|py|test the opposite condition and swap the branches
def F(P, Q):
    if not Q:
        found = 0
    else:
        found = len(P)
    return found
=>
def F(P, Q):
    if Q:
        found = len(P)
    else:
        found = 0
    return found
return type|py|annotate that it returns an int
def F(P, Q):
    return len(P) + len(Q)
=>
def F(P, Q) -> int:
    return len(P) + len(Q)
skip in a loop|py|skip those whose W is negative
def F(P):
    total = 0
    for one in P:
        total += one.W
    return total
=>
def F(P):
    total = 0
    for one in P:
        if one.W < 0:
            continue
        total += one.W
    return total
print before return|py|print total before it is returned
def F(P):
    total = len(P)
    return total
=>
def F(P):
    total = len(P)
    print(total)
    return total
thrown error|js|throw an Error that says 'no P' if P is missing
export function F(P) {
  return P.length;
}
=>
export function F(P) {
  if (!P) {
    throw new Error('no P');
  }
  return P.length;
}
default parameter|js|let Q be 2 if nothing is given
export function F(P, Q) {
  return P.length * Q;
}
=>
export function F(P, Q = 2) {
  return P.length * Q;
}
JSDoc|js|document it with the comment /** The W of all P. */
export function F(P) {
  return P.map((one) => one.W);
}
=>
/** The W of all P. */
export function F(P) {
  return P.map((one) => one.W);
}
loop to map|js|write the loop as one call of map
export function F(P) {
  const found = [];
  for (const one of P) {
    found.push(one.W);
  }
  return found;
}
=>
export function F(P) {
  return P.map((one) => one.W);
}
conditional expression|js|return a conditional expression instead of the if
export function F(P, Q) {
  if (Q) {
    return P.length;
  }
  return 0;
}
=>
export function F(P, Q) {
  return Q ? P.length : 0;
}
strict equality|js|compare strictly
export function F(P, Q) {
  return P.length == Q;
}
=>
export function F(P, Q) {
  return P.length === Q;
}
optional chaining|js|use optional chaining
export function F(P, Q) {
  return Q && Q.W;
}
=>
export function F(P, Q) {
  return Q?.W;
}
annotated result|ts|say that the result is a number
export function F(P: string[], Q: number) {
  return P.length * Q;
}
=>
export function F(P: string[], Q: number): number {
  return P.length * Q;
}
optional member|ts|make W optional
export interface Shape {
  W: number;
  name: string;
}
=>
export interface Shape {
  W?: number;
  name: string;
}
destructuring|ts|destructure Q
export function F(P: string[], Q: { W: number }) {
  const W = Q.W;
  return P.length * W;
}
=>
export function F(P: string[], Q: { W: number }) {
  const { W } = Q;
  return P.length * W;
}
'''
_SCRIPT = "const LIMIT = 10;\n\nexport const first = (rows%s) => rows.slice(0, LIMIT);\n\n"
_SCRIPT_AFTER = "\nexport const last = (rows%s) => rows.slice(-LIMIT);\n"
_AROUND = {
    "py": (
        "LIMIT = 10\n\n\ndef first(rows):\n    return rows[:LIMIT]\n\n\n",
        "\n\ndef last(rows):\n    return rows[-LIMIT:]\n",
    ),
    "js": (_SCRIPT % "", _SCRIPT_AFTER % ""),
    "ts": (_SCRIPT % ": string[]", _SCRIPT_AFTER % ": string[]"),
}


@dataclass(frozen=True, slots=True)
class RewriteCase:
    """One rewrite."""

    kind: str
    language: str
    """The suffix of its files: `py`, `js` or `ts`."""
    module: str
    """The name of the file without its suffix."""
    instruction: str
    before: str
    """The region to be rewritten."""
    after: str
    """The expected region."""
    importer: str
    """The text of another file, which imports the function."""

    @property
    def around(self) -> tuple[str, str]:
        """The text of the file before and after the region."""
        return _AROUND[self.language]

    @property
    def file(self) -> str:
        """The name of the region's file."""
        return f"{self.module}.{self.language}"


def tasks() -> Iterator[RewriteCase]:
    """All rewrites, one kind after the other."""
    for number, (head, before, after) in enumerate(_kinds()):
        kind, language, instruction = head.split("|")
        for index, subject in enumerate(_SUBJECTS):
            module = f"part_{number}_{index}"
            function, _, _, member = subject
            yield RewriteCase(
                kind, language, module,
                _fill(instruction, subject), _fill(before, subject), _fill(after, subject),
                _importer(language, module, function, member, is_type="interface" in before),
            )  # fmt: skip


def _kinds() -> Iterator[tuple[str, str, str]]:
    """The head, the region before and the region after of each kind."""
    head, before, after = "", list[str](), list[str]()
    region = before
    for line in _KINDS.strip("\n").splitlines():
        if line.count("|") == 2:  # noqa: PLR2004 - kind, language, instruction
            if head:
                yield head, "\n".join(before) + "\n", "\n".join(after) + "\n"
            head, before, after = line, [], []
            region = before
        elif line == "=>":
            region = after
        else:
            region.append(line)
    yield head, "\n".join(before) + "\n", "\n".join(after) + "\n"


def _fill(text: str, words: tuple[str, ...]) -> str:
    """A text with a subject's words in place of the letters."""
    for letter, word in zip("FPQW", words, strict=True):
        text = _replace_alone(text, letter, word)
    return text


def _replace_alone(text: str, letter: str, word: str) -> str:
    """A text with a word in place of each such letter that is not part of a longer name."""
    pieces = text.split(letter)
    replaced = pieces[0]
    for piece in pieces[1:]:
        before, after = replaced[-1:], piece[:1]
        is_alone = not (before.isalnum() or before == "_" or after.isalnum() or after == "_")
        replaced += (word if is_alone else letter) + piece
    return replaced


def _importer(language: str, module: str, function: str, member: str, *, is_type: bool) -> str:
    """The text of a file that imports the region's function, or its type `Shape`, and uses it."""
    if language == "py":
        return f"from {module} import {function}, first\n\nprint({function}, first([1]))\n"
    suffix = ".js" if language == "js" else ""
    if is_type:
        shape = f"const one: Shape = {{ {member}: 1, name: 'a' }};\nconsole.log(one.{member}.toFixed());\n"
        return f"import {{ type Shape, first }} from './{module}{suffix}';\n\nconsole.log(first(['a']));\n{shape}"
    return f"import {{ {function}, first }} from './{module}{suffix}';\n\nconsole.log({function}, first(['a']));\n"
