// A slug by a program with a `main`: {"words": 2}. Parts are awaited one after another; the text of one decides on the next.

async function main({ words = 2 }) {
  await $`"`;
  for (let index = 0; index < words; index++) {
    const word = await gen({ regex: /[a-z]{3,9}/, maxTokens: 2 });
    await $`${index < words - 1 ? "-" : ""}`;
    if (word === "the") break;
  }
  await $`"`;
}

start(main);
