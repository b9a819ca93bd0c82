// A controller in the manner of AICI. Nothing corrected: `$`, `gen` and `start` are global names.

async function main() {
    await $`Ultimate answer is to the life, universe and everything is `
    await gen({ regex: /\d\d/ })
}

start(main)
