// Bans what a project has deprecated, by regular expressions: {"banned": ["\\bsubstr(?![\\w$])", "\\bvar\\b"]}.
//
// A token is banned if the text would match after it. A name that only begins like a deprecated one must be written
// in one token then; choose the expressions accordingly.

export const wants = ["symbols"];
const banned = (params.banned ?? []).map((one) => new RegExp(one));

export function step({ candidates, text, symbols }) {
  const line = (symbols.before + text).split("\n").at(-1);
  const before = banned.filter((one) => !one.test(line)); // what stands there already is not ours to judge
  return { ban: candidates.filter((one) => before.some((pattern) => pattern.test(line + one.text))).map((one) => one.id) };
}
