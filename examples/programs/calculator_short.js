// The same calculator, said shorter. Corrected: "?" is "inscope", and a comma before the second comment.
import { manyOf, callOf, returnOf, variable, id, num } from "inscope"

const varFor = variable`${id()}`

async function main() {
    await manyOf(
        varFor(num()), // e.g. let apples = 3
        varFor(callOf`add`(num(), num())), // e.g. let totalFruit = add(apples, oranges)
        varFor(callOf`sub`(num(), num())), // e.g. let oneMinusTwo = sub(1, 2)
        varFor(callOf`mul`(num(), num())), // e.g. let applesTotal = mul(apples, applePrice)
        varFor(callOf`div`(num(), num())), // e.g. let orangeToAppleRatio = div(oranges, apples)
    )
    await returnOf(num()) // e.g. return orangeTotal
}
