// Gives a program's step function each step as an object, and the host what it answers.
// The host writes an encoded step (see `protocol`) to the buffer; its numbers begin with [position, candidates, bytes of
// what was written, bytes of texts]. The candidates are made in `step.wat`.

const candidatesOf = globalThis.candidates$;
delete globalThis.candidates$;
const buffer = new ArrayBuffer(globalThis.bufferBytes$);
const head = new Uint32Array(buffer, 0, 4);
const stringify = JSON.stringify;
let step = null;
let wants = [];
let text = "";
let symbols = null;
let distribution = null;

// A program may keep it: nothing in it is the next step's.
class Step {
  #message;
  #candidates = null;

  constructor() {
    this.position = head[0];
    this.text = text;
    this.#message = buffer.slice(0, 16 + 12 * head[1] + head[2] + head[3]);
    if (distribution) this.distribution = distribution.slice();
  }

  get candidates() {
    return (this.#candidates ??= candidatesOf(this.#message));
  }

  get symbols() {
    return symbols;
  }
}

globalThis.control$ = {
  buffer,
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
  step(written) {
    text += written;
    return step(new Step());
  },
  // an answer that is no list of numbers
  spelled(answer) {
    if (answer && typeof answer.then === "function") throw new Error("a step answers at once; only main can wait");
    return stringify(answer ?? {}) ?? "{}";
  },
};
