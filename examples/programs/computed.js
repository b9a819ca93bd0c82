// Calls and computed properties. Corrected: "?" is "inscope". `memberOf`, which the article uses and does not import,
// is a global name; unlike `membersOf` it never stands for the bare object.
import { oneOf, membersOf, callOf, property, arg, computedProperty } from "inscope"

async function main() {
    await oneOf(
        membersOf`meaningOfLife`(
            property`answer`,
            property`question`
        ),
        membersOf`meaningOfLife.author`(
            property`name`,
            property`born`,
            property`died`
        ),
        membersOf`inventory.fruit`(
            computedProperty`0`,
            computedProperty`1`,
            computedProperty`2`
        ),
        membersOf`userMap`(
            computedProperty`userId`,
        ),
        /**
         * @example
         * window.localStorage.getItem(userMap[userId])
         */
        callOf`window.localStorage.getItem`(
            memberOf`userMap`(
                computedProperty`userId`
            )
        )
    )
}

start(main)
