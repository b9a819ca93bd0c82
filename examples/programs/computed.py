"""Calls and computed properties."""

from decoder.program import call_of, computed_property, member_of, members_of, one_of, property_, start


async def main():
    await one_of(
        members_of("meaning_of_life")(property_("answer"), property_("question")),
        members_of("meaning_of_life.author")(property_("name"), property_("born"), property_("died")),
        members_of("inventory.fruit")(computed_property("0"), computed_property("1"), computed_property("2")),
        members_of("user_map")(computed_property("user_id")),
        call_of("storage.get_item")(member_of("user_map")(computed_property("user_id"))),
    )


start(main)
