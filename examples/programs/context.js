// Values of the application's context. Corrected: "?" is "inscope"; main awaits `postUser`, as the article defines no
// `fetchUsersByEmail` here. `membersOf`, which it does not import, is a global name. With a function of the file at
// --context as its parameter, the values are those of that place.
import { contextOf, callOf, obj, params, property, str, num, bool, symbols } from "inscope"

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
    if (params.function) {
        await contextOf(symbols);
        await callOf`${params.function}`(str(), num());
    } else {
        await context;
        await postUser;
    }
}

start(main)
