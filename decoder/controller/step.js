// Calls a program's step function with each step as an object, and hands its answers to the host.
// The host writes an encoded step (see `protocol`) to the buffer; its numbers begin with [position, candidates, bytes of
// what was written, bytes of texts]. The candidates are made in `step.wat`.

const candidatesOf = globalThis.candidates$;
delete globalThis.candidates$;
const buffer = new ArrayBuffer(globalThis.bufferBytes$);
const head = new Uint32Array(buffer, 0, 4);
const { parse, stringify } = JSON;
let step = null;
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
  // the kind of the program, "step", "main" or "" for neither, and the data that a step wants
  begin(found, wanted, hasMain) {
    step = typeof found === "function" ? found : null;
    const wants = Array.isArray(wanted) ? wanted.map(String) : [];
    return stringify({ kind: step ? "step" : hasMain ? "main" : "", wants });
  },
  setPlace(json) {
    symbols = parse(json); // not evaluated: there `__proto__` would be no name
  },
  distribution(size) {
    distribution = new Float32Array(size);
    return distribution.buffer;
  },
  step(written) {
    text += written;
    return step(new Step());
  },
  // for answers that are no list of numbers
  asJson(answer) {
    if (answer && typeof answer.then === "function") throw new Error("a step answers at once; only main can wait");
    return stringify(answer ?? {}) ?? stringify(typeof answer); // a function has no JSON
  },
};
