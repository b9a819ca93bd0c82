// Stops after a word or a closing bracket where the model is not sure how to go on: {"least": 0.2}. Reads the
// log-probabilities of the candidates.

const least = params.least ?? 0.2;

export function step({ candidates, text }) {
  const [best] = candidates;
  const isInWord = /[\w$]$/.test(text) && /^[\w$]/.test(best.text);
  return /[\w$)\]]$/.test(text) && !isInWord && Math.exp(best.logprob) < least ? { stop: true } : {};
}
