"""A message made of values of the file at --context, by their types."""

from decoder.program import context_of, num, start, str_, symbols, variable


async def main():
    await context_of(symbols)
    await variable("message")(str_(str_(), ": ", num()))


start(main)
