// One of two API calls. Corrected: "?" is "inscope".
import { oneOf, callOf, obj, property, str } from "inscope"

const name = str()
const email = str()

/**
 * @example Output
 * fetch("https://api.example.com/users?email=ann@example.com")
 */
const fetchUsersByEmail = callOf`fetch`(
    str`https://api.example.com/users?email=${email}`
)

/**
 * @example Output
 * fetch("https://api.example.com/users", {
 *   method: "POST",
 *   body: {
 *     name: "John Doe",
 *     email: "john@example.com",
 *   },
 * })
 */
const postUser = callOf`fetch`(
    str`https://api.example.com/users`,
    obj(
        property`method`("POST"),
        property`body`(
            obj(
                property`name`(name),
                property`email`(email)
            )
        )
    )
)

async function main() {
    await oneOf(
        fetchUsersByEmail,
        postUser
    )
}

start(main)
