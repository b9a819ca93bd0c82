// Gives a program's step function each step as an object, and the host its answer as text.
// What the host writes: [position, candidates, length of what was written], then ids, log-probabilities and lengths.

const most = 256;
const buffer = new ArrayBuffer(12 + 12 * most);
const head = new Uint32Array(buffer, 0, 3);
const biases = new Float32Array(most);
const stringify = JSON.stringify;
let step = null;
let wants = [];
let text = "";
let symbols = null;
let distribution = null;

class Step {
  #texts;
  #candidates = null;

  constructor(texts, count) {
    this.position = head[0];
    this.text = text;
    this.ids = new Int32Array(buffer, 12, count);
    this.logprobs = new Float32Array(buffer, 12 + 4 * count, count);
    this.lengths = new Uint32Array(buffer, 12 + 8 * count, count);
    this.#texts = texts;
  }

  get candidates() {
    if (this.#candidates) return this.#candidates;
    const found = [];
    let at = 0;
    for (let index = 0; index < this.ids.length; index++) {
      const end = at + this.lengths[index];
      found.push({ id: this.ids[index], text: this.#texts.slice(at, end), logprob: this.logprobs[index] });
      at = end;
    }
    return (this.#candidates = found);
  }

  get symbols() {
    return symbols;
  }

  get distribution() {
    return distribution;
  }
}

// whether the answer is a number for each candidate, which are then in `biases`
function isList(answer, count) {
  if (!Array.isArray(answer) || answer.length !== count) return false;
  for (let index = 0; index < count; index++) {
    if (typeof answer[index] !== "number") return false;
    biases[index] = answer[index];
  }
  return true;
}

globalThis.control$ = {
  buffer,
  biases: biases.buffer,
  // what the program is: "step" and what that wants to be told, "main", or "" for neither
  begin(found, wanted, hasMain) {
    step = typeof found === "function" ? found : null;
    wants = Array.isArray(wanted) ? wanted.map(String) : [];
    return stringify({ kind: step ? "step" : hasMain ? "main" : "", wants });
  },
  tell(given) {
    symbols = given;
  },
  distribution(size) {
    distribution = new Float32Array(size);
    return distribution.buffer;
  },
  step(given) {
    const length = head[2];
    text += given.slice(0, length);
    const answer = step(new Step(given.slice(length), head[1]));
    if (answer && typeof answer.then === "function") throw new Error("a step answers at once; only main can wait");
    return isList(answer, head[1]) ? "" : (stringify(answer ?? {}) ?? "{}");
  },
};
