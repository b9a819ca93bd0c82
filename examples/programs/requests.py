"""One of two API calls."""

from decoder.program import arg, call_of, obj, one_of, property_, start, str_

name = str_()
email = str_()

get_users_by_email = call_of("get")(str_("https://api.example.com/users?email=", email))
post_user = call_of("post")(
    str_("https://api.example.com/users"),
    arg(obj(property_("name")(name), property_("email")(email)), name="json"),
)


async def main():
    await one_of(get_users_by_email, post_user)


start(main)
