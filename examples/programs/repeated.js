// Not in the article: a blank that stands twice in one text says the same both times.
import { callOf, obj, property, str } from "inscope"

const email = str()

async function main() {
    await callOf`fetch`(
        str`https://api.example.com/users?email=${email}`,
        obj(property`headers`(obj(property`from`(email))))
    )
}
