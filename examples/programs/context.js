// Values of the application's context. Corrected: "?" is "inscope"; main awaits `postUser`, as the article defines no
// `fetchUsersByEmail` here. `membersOf`, which it does not import, is a global name.
import { contextOf, callOf, obj, property, str, num, bool } from "inscope"

/**
 * @example Output
 * session.user.name
 * session.user.email
 * api.url
 */
const context = contextOf(
    membersOf`session.user`(
        property`name`(str),
        property`email`(str),
        property`age`(num)
    ),
    membersOf`api`(
        property`url`(str),
        property`public`(bool)
    )
)

const postUser = callOf`fetch`(
    str(),
    obj(
        property`method`("POST"),
        property`body`(
            obj(
                property`name`(str()),
                property`email`(str())
            )
        )
    )
)

async function main() {
    await context;
    await postUser;
}

start(main)
