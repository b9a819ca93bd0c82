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
    const { ids, logprobs, lengths } = this; // a variable is read in half the time of a property
    const texts = this.#texts;
    const found = [];
    for (let index = 0, at = 0; index < ids.length; index++) {
      const end = at + lengths[index];
      found[index] = { id: ids[index], text: texts.substring(at, end), logprob: logprobs[index] };
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
const isNumber = (value) => typeof value === "number";
function isList(answer, count) {
  if (!Array.isArray(answer) || answer.length !== count || !answer.every(isNumber)) return false;
  biases.set(answer);
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
