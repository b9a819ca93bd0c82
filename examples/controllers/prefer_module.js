// Prefers the names that one module offers, imported or not: {"module": "format", "nats": 4}.

export const wants = ["symbols"];
const nats = params.nats ?? 4;
let names = null;

export function step({ candidates, text, symbols }) {
  names ??= [...symbols.names, ...symbols.importable]
    .filter((one) => (one.module ?? one.detail).includes(params.module))
    .map((one) => one.name);
  const word = /[\w$]*$/.exec(symbols.before + text)[0];
  if (/[.'"`]$/.test((symbols.before + text).slice(0, -word.length || undefined))) return {};
  return candidates.map(({ text: next }) => {
    const written = word + (word ? next : next.trimStart());
    return written && names.some((name) => name.startsWith(written) || written.startsWith(name + "(")) ? nats : 0;
  });
}
