// The module "inscope": syntax as data, and a program as a coroutine that the host takes from one step to the next.
// All of its names are global, too, so that a program may leave its import out.

const NODE = Symbol("node");
let keys = 1;
let going = null; // how to go on once what was asked for has been written
let question = { k: "none" };
let main = null;

const frozen = (text) => JSON.parse(text, (_, value) => Object.freeze(value));
export let params = frozen(globalThis.inscope$params ?? "{}");

function node(k, fields) {
  const made = { k, ...fields };
  // awaiting a node has it written; the value is the text
  Object.defineProperty(made, "then", {
    value: (resolve, reject) => {
      if (going) return reject(new Error("two parts are awaited at once; await one after the other"));
      question = { k: "write", node: made };
      going = resolve;
    },
  });
  Object.defineProperty(made, NODE, { value: true });
  return made;
}

const isNode = (value) => value !== null && typeof value === "object" && value[NODE] === true;
const isTemplate = (value) => Array.isArray(value) && Object.hasOwn(value, "raw");
const blankOf = new Map(); // `str` without a call stands for `str()`

function valueNode(value) {
  if (isNode(value)) return value;
  if (blankOf.has(value)) return blankOf.get(value)();
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return node("literal", { value });
  throw new TypeError(`expected a part of a program, such as str(), not ${describe(value)}`);
}

const describe = (value) => (value === undefined ? "undefined" : typeof value === "function" ? `the function ${value.name || "without a name"}` : String(JSON.stringify(value)));

function partNode(value) {
  if (isNode(value) || blankOf.has(value)) return valueNode(value);
  if (["string", "number", "boolean"].includes(typeof value)) return node("text", { text: String(value) });
  throw new TypeError(`expected text or a part of a program in the template, not ${describe(value)}`);
}

function parts(strings, values) {
  if (!isTemplate(strings)) return [partNode(strings)];
  const all = [];
  strings.forEach((text, index) => {
    if (text) all.push(node("text", { text }));
    if (index < values.length) all.push(partNode(values[index]));
  });
  return all;
}

const template = (strings, values) => node("sequence", { parts: parts(strings, values) });

// a tag, such as callOf`name`, that is called with what stands in it: callOf`name`(...)
const tagged = (name, build) =>
  function (strings, ...values) {
    if (strings === undefined) throw new TypeError(`${name} takes its text in back quotes: ${name}\`...\``);
    const head = template(strings, values);
    return (...rest) => build(head, rest);
  };

export const $ = (strings, ...values) => template(strings, values);
export const oneOf = (...options) => node("oneOf", { options: options.map(valueNode) });
export const manyOf = (...options) => node("manyOf", { options: options.map(valueNode) });

const propertyOf = (computed) =>
  function (strings, ...values) {
    const name = template(strings, values);
    const build = (value) => node("property", { name, value: valueNode(value), computed });
    return Object.defineProperties(build, { property: { value: () => node("property", { name, value: null, computed }) } });
  };
export const property = propertyOf(false);
export const computedProperty = propertyOf(true);
const members = (list) => list.map((one) => (typeof one === "function" && one.property ? one.property() : one));

export const membersOf = tagged("membersOf", (subject, list) => node("members", { subject, properties: members(list), alone: true }));
export const memberOf = tagged("memberOf", (subject, list) => node("members", { subject, properties: members(list), alone: false }));
export function obj(...list) {
  if (list.some((one) => !isNode(one))) throw new TypeError("obj takes properties with a value, such as property`name`(str())");
  return node("object", { properties: list });
}

export const callOf = tagged("callOf", (callee, list) =>
  node("call", { function: callee, arguments: list.map(valueNode), returns: null }),
);
export const returning = (type, call) => node("call", { ...valueNode(call), returns: valueNode(type).type });

export function arg(value, ...values) {
  if (!isTemplate(value)) return node("argument", { value: valueNode(value), name: "" });
  const name = value.reduce((all, text, index) => all + values[index - 1] + text);
  return (inner) => node("argument", { value: valueNode(inner), name });
}

export function str(strings, ...values) {
  if (strings === undefined) return node("blank", { type: "string", key: keys++ });
  if (!isTemplate(strings)) return node("literal", { value: String(strings) });
  return node("stringOf", { parts: parts(strings, values) });
}
export const num = (value) => (value === undefined ? node("blank", { type: "number", key: keys++ }) : node("literal", { value: Number(value) }));
export const bool = (value) => (value === undefined ? node("blank", { type: "boolean", key: keys++ }) : node("literal", { value: Boolean(value) }));
export const id = () => node("identifier", { key: keys++ });
for (const blank of [str, num, bool, id]) blankOf.set(blank, blank);

export const variable = tagged("variable", (name, [value]) => node("variable", { name, value: valueNode(value) }));
export const returnOf = (value) => node("return", { value: value === undefined ? null : valueNode(value) });

export const symbols = node("context", { members: [], symbols: true });
export const contextOf = (...list) => node("context", { members: list.filter((one) => one !== symbols), symbols: list.includes(symbols) });

export function gen({ regex, options, stopAt, maxTokens, node: part, ...others } = {}) {
  const unknown = Object.keys(others);
  if (unknown.length) throw new TypeError(`gen knows regex, options, stopAt, node and maxTokens, not ${unknown.join(", ")}`);
  const given = Object.entries({ regex, options, stopAt, node: part }).filter(([, one]) => one !== undefined);
  if (given.length > 1) throw new TypeError(`gen takes one of ${given.map(([name]) => name).join(" and ")}`);
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens > 0)) throw new TypeError(`maxTokens must be a number of tokens, not ${describe(maxTokens)}`);
  if (regex instanceof RegExp && regex.flags.replace(/[guy]/g, "")) throw new TypeError(`gen cannot hold a text to the flags of ${regex}`);
  return node("generated", {
    key: keys++,
    regex: regex === undefined ? null : regex instanceof RegExp ? regex.source : String(regex),
    options: options === undefined ? null : options.map(String),
    stopAt: stopAt === undefined ? null : String(stopAt),
    maxTokens: maxTokens ?? null,
    node: part === undefined ? null : valueNode(part),
  });
}

export function start(program) {
  if (typeof program !== "function") throw new TypeError("start takes the program's main function");
  main ??= program;
}

Object.assign(globalThis, {
  $, oneOf, manyOf, property, computedProperty, membersOf, memberOf, obj, callOf, returning, arg, str, num, bool, id,
  variable, returnOf, symbols, contextOf, gen, start, params,
});

// The host's side.
globalThis.inscope$ = {
  start,
  hasMain: () => main !== null,
  give(text) {
    globalThis.params = params = frozen(text);
    return "";
  },
  begin() {
    if (!main) throw new Error("the program has no main function, and calls start with none");
    question = { k: "waiting" };
    Promise.resolve(main(params)).then(
      () => (question = going ? { k: "error", message: "main has ended while a part was not awaited" } : { k: "done" }),
      (error) => (question = { k: "error", message: String(error?.message ?? error) }),
    );
    return "";
  },
  next(written) {
    const resolve = going;
    going = null;
    question = { k: "waiting" };
    resolve(written);
    return "";
  },
  question: () => JSON.stringify(question),
};
