"""One of five member expressions."""

from decoder.program import members_of, one_of, property_, start


async def main():
    await one_of(
        members_of("meaning_of_life")(property_("answer"), property_("question")),
        members_of("meaning_of_life.author")(property_("name"), property_("born"), property_("died")),
    )


start(main)
