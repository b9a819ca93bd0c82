// Stops where the model is not sure: {"least": 0.2}. Reads the log-probabilities of the candidates.

const least = params.least ?? 0.2;

export function step({ candidates, text }) {
  const best = Math.exp(candidates[0].logprob);
  return text && best < least && !/[\w$]$/.test(text) ? { stop: true } : {};
}
