"""A member expression: user, user.name or user.email."""

from decoder.program import members_of, property_, start


async def main():
    await members_of("user")(property_("name"), property_("email"))


start(main)
