// Not in the article: call a function of the file at --context with arguments that type-check there.
import { callOf, params, symbols } from "inscope"

async function main() {
    await callOf`${params.function}`(symbols)
}
