"""A controller in the manner of AICI."""

from decoder.program import gen, start, text


async def main():
    await text("Ultimate answer is to the life, universe and everything is ")
    await gen(regex=r"\d\d")


start(main)
