// One of five member expressions. Corrected: "?" is "inscope".
import { oneOf, membersOf, property } from "inscope"

async function main() {
    await oneOf(
        /**
         * @example Output
         * meaningOfLife.answer
         * meaningOfLife.question
         */
        membersOf`meaningOfLife`(
            property`answer`,
            property`question`
        ),
        /**
         * @example Output
         * meaningOfLife.author.name
         * meaningOfLife.author.born
         * meaningOfLife.author.died
         */
        membersOf`meaningOfLife.author`(
            property`name`,
            property`born`,
            property`died`
        )
    )
}

start(main)
