"""The programs that all constraint engines read, and the grammar that the peers are given for them.

The peers cannot read JavaScript's own grammar, so they get this hand-written one for a small part of the language. It
spells out the names in scope, as the peers cannot be held to a scope in any other way.
"""

from __future__ import annotations

from typing import Final

_SCOPE: Final = (
    *("cart", "items", "item", "price", "total", "rate", "user", "name", "count", "index", "result", "order", "orders"),
    *("logger", "config", "Math", "console", "JSON", "Object", "Array", "Promise", "fetch", "parse", "format", "tax"),
    *("sum", "error"),  # parameters in the snippets, which the grammar has in scope everywhere
)
SNIPPETS: Final = (
    "const total = items.reduce((sum, item) => sum + item.price * item.count, 0);\n",
    'if (user.name === "guest" && !cart.items.length) {\n  console.log("empty", cart);\n  return;\n}\n',
    "let result = orders.filter((order) => order.total > 100).map((order) => order.user.name);\n",
    "for (const item of cart.items) {\n  total = total + item.price * (1 + rate);\n  logger.info(item.name);\n}\n",
    'const config = { name: user.name, items: [1, 2, 3], tax: { rate: 0.19, format: "percent" } };\n',
    'fetch(config.url).then((result) => parse(result)).catch((error) => logger.warn("failed", error));\n',
    "return Math.round(price * count * 100) / 100;\n",
    "const count = Object.keys(orders).length ? format(orders[0].name) : JSON.parse(result).count;\n",
)
_GRAMMAR: Final = r"""
root ::= ws (statement ws)*
statement ::= declaration | returning | branch | loop | expression ws ";"
declaration ::= ("const" | "let") sp identifier ws "=" ws expression ws ";"
returning ::= "return" (sp expression)? ws ";"
branch ::= "if" ws "(" ws expression ws ")" ws block (ws "else" ws block)?
loop ::= "for" ws "(const" sp identifier sp "of" sp expression ws ")" ws block
block ::= "{" ws (statement ws)* "}"
expression ::= arrow | assignment | conditional
arrow ::= "(" ws (identifier (ws "," ws identifier)*)? ws ")" ws "=>" ws (block | expression)
assignment ::= postfix ws "=" ws expression
conditional ::= binary (ws "?" ws expression ws ":" ws expression)?
binary ::= unary (ws operator ws unary)*
operator ::= "===" | "!==" | "&&" | "||" | "<=" | ">=" | "<" | ">" | "+" | "-" | "*" | "/" | "%"
unary ::= ("!" | "-" | "typeof ")? postfix
postfix ::= primary (ws "." identifier | arguments | "[" ws expression ws "]")*
arguments ::= "(" ws (expression (ws "," ws expression)*)? ws ")"
primary ::= name | number | string | object | array | "(" ws expression ws ")"
object ::= "{" ws (identifier ws ":" ws expression (ws "," ws identifier ws ":" ws expression)*)? ws "}"
array ::= "[" ws (expression (ws "," ws expression)*)? ws "]"
number ::= [0-9]+ ("." [0-9]+)?
string ::= "\"" [^"\\\n]* "\""
identifier ::= [A-Za-z_] [A-Za-z0-9_]*
sp ::= [ \n]+
ws ::= [ \n]*
"""


def grammar(*added: str) -> str:
    """The peers' grammar, in GBNF, with the names of the snippets and the added ones in scope."""
    return _GRAMMAR.strip() + "\nname ::= " + " | ".join(f'"{name}"' for name in (*_SCOPE, *added)) + "\n"
