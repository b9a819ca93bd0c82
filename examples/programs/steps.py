"""New variables, and calls of a function of the file at --context that use them where they fit."""

from decoder.program import call_of, context_of, id_, many_of, num, params, start, str_, symbols, variable


async def main():
    await context_of(symbols)
    await many_of(
        variable(id_())(num()),
        variable(id_())(str_()),
        call_of(params()["function"])(symbols),
    )


start(main)
