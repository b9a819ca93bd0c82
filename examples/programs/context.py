"""Values of the application's context: a literal, or what the context has of the type.

With a function of the file at --context as its parameter, the values are those of that place.
"""

from decoder.program import (
    arg,
    bool_,
    call_of,
    context_of,
    members_of,
    num,
    obj,
    params,
    property_,
    start,
    str_,
    symbols,
)

context = context_of(
    members_of("session.user")(property_("name")(str_), property_("email")(str_), property_("age")(num)),
    members_of("api")(property_("url")(str_), property_("public")(bool_)),
)

post_user = call_of("post")(str_(), arg(obj(property_("name")(str_()), property_("email")(str_())), name="json"))


async def main():
    if "function" in params():
        await context_of(symbols)
        await call_of(params()["function"])(str_(), num())
    else:
        await context
        await post_user


start(main)
