// Not in the article: new variables, and calls of a function of the file at --context that use them where they fit.
import { callOf, contextOf, id, manyOf, num, params, str, symbols, variable } from "inscope"

async function main() {
    await contextOf(symbols);
    await manyOf(
        variable`${id()}`(num()),
        variable`${id()}`(str()),
        callOf`${params.function}`(symbols)
    );
}
