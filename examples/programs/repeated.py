"""A blank that stands twice in one text says the same both times."""

from decoder.program import arg, call_of, obj, property_, start, str_

email = str_()


async def main():
    await call_of("get")(
        str_("https://api.example.com/users?email=", email), arg(obj(property_("from")(email)), name="headers")
    )


start(main)
