"""A calculator whose text is type-safe: names are declared before they are used, and hold numbers.

Prompt: I bought 3 apples (3.99 ea) and 4 oranges (4.39 ea). How much did I spend?
"""

from decoder.program import call_of, id_, many_of, num, return_of, start, variable


async def main():
    await many_of(
        variable(id_())(num()),
        variable(id_())(call_of("add")(num(), num())),
        variable(id_())(call_of("sub")(num(), num())),
        variable(id_())(call_of("mul")(num(), num())),
        variable(id_())(call_of("div")(num(), num())),
    )
    await return_of(num())


start(main)
