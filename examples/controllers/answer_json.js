// JSON by hand: {"keys": ["name", "price"]}. The braces, keys and quotes are forced; the model writes only the values.
// The text at the cursor should expect a value: `const item = `.

const keys = params.keys ?? ["name", "price"];

export function step({ text, candidates }) {
  const written = keys.filter((key) => text.includes(JSON.stringify(key))).length;
  if (!text) return { force: `{ ${JSON.stringify(keys[0])}: "` };
  if (text.endsWith("}")) return { stop: true };
  if (text.endsWith(": \"")) return { bias: {}, ban: closing(candidates) }; // at least one character
  if (text.endsWith('"')) return written < keys.length ? { force: `, ${JSON.stringify(keys[written])}: "` } : { force: " }" };
  if (text.length - text.lastIndexOf('"') > 12) return { force: '"' }; // a value of twelve characters is long enough
  return { ban: candidates.filter(({ text: next }) => /[\n\\]|"./.test(next)).map(({ id }) => id) };
}

const closing = (candidates) => candidates.filter(({ text }) => /["\n\\]/.test(text)).map(({ id }) => id);
