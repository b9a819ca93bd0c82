"""Call a function of the file at --context with arguments that type-check there."""

from decoder.program import call_of, params, start, symbols


async def main():
    await call_of(params()["function"])(symbols)


start(main)
