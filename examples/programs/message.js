// Not in the article: a message made of values of the file at --context, by their types.
import { contextOf, num, str, symbols, variable } from "inscope"

async function main() {
    await contextOf(symbols);
    await variable`message`(str`${str()}: ${num()}`);
}
