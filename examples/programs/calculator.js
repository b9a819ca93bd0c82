// A calculator whose text is type-safe. Corrected: "?" is "inscope", and a comma after the second variable. A `main`
// is started where nothing calls `start`.
import { manyOf, callOf, returnOf, variable, id, num } from "inscope"

async function main() {
    /**
     * @example Prompt
     * I bought 3 apples (3.99 ea) and 4 oranges (4.39 ea).
     *
     * How much did I spend?
     * @example Output
     * let apples = 3;
     * let oranges = 4;
     * let applePrice = 3.99;
     * let orangePrice = 4.39;
     * let appleTotal = mul(apples, applePrice);
     * let orangeTotal = mul(oranges, orangePrice);
     * let total = add(appleTotal, orangeTotal);
     * return total;
     */
    await manyOf(
        variable`${id()}`(num()),
        variable`${id()}`(callOf`add`(num(), num())),
        variable`${id()}`(callOf`sub`(num(), num())),
        variable`${id()}`(callOf`mul`(num(), num())),
        variable`${id()}`(callOf`div`(num(), num())),
    )
    await returnOf(num())
}
