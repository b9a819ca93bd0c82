// The module "inscope": syntax as data, and a program as a coroutine that the host takes from one step to the next.
// All its names are global, too, so that a program may leave out the import. What a part is made of is parsed when
// it is built, blanks replaced by samples of what they may write, as `part_checks.py` does it for Python.

const NODE = Symbol("node");
const stringify = JSON.stringify;
let keys = 1;
let going = null; // how to go on once what was asked for has been written
let question = { k: "none" };
let main = null;

const frozen = (text) => JSON.parse(text, (_, value) => Object.freeze(value));
export let params = frozen("{}");

// the line of the program that makes a part; asked only while the program is lowered
const SourceError = Error;
let isWatched = false;
const isOurs = (line) => ["(inscope:", "(<host>:", "(native)"].some((one) => line.includes(one));
function callerPlace() {
  const line = new SourceError().stack.split("\n").find((one) => one.includes("(") && !isOurs(one)) ?? "";
  return line.slice(line.indexOf("(") + 1, line.lastIndexOf(":"));
}

// awaiting a node has it written; the value is the text
function node(k, fields, place = isWatched ? callerPlace() : "", used = true) {
  const made = { k, ...fields };
  const then = (resolve, reject) => {
    if (going) return reject(new Error("two parts are awaited at once; await one after the other"));
    question = { k: "awaited", node: made, place, used };
    going = resolve;
  };
  return Object.defineProperties(made, { then: { value: then }, [NODE]: { value: true } });
}

const isNode = (value) => value !== null && typeof value === "object" && value[NODE] === true;
const isTemplate = (value) => Array.isArray(value) && Object.hasOwn(value, "raw");
const blankOf = new Map(); // `str` without a call stands for `str()`
const isConstant = (value) => ["string", "number", "boolean"].includes(typeof value);

const describe = (value) => (value === undefined ? "undefined" : typeof value === "function" ? `the function ${value.name || "without a name"}` : String(stringify(value)));

function literal(value) {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("a number that is not finite cannot be written");
  return node("literal", { value });
}

function anyNode(value) {
  if (isNode(value)) return value;
  if (blankOf.has(value)) return blankOf.get(value)();
  if (value === null || isConstant(value)) return literal(value);
  throw new TypeError(`expected a part of a program, such as str(), not ${describe(value)}`);
}

function partNode(value) {
  if (isConstant(value)) return node("text", { text: String(value) });
  if (isNode(value) || blankOf.has(value)) return anyNode(value);
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

// What the language's own parser says of a text, in a function of strict code, async or not.
const SourceFunction = Function;
const AsyncFunction = (async () => {}).constructor;
function parses(...sources) {
  const code = `"use strict"; ${sources.join("\n")}`;
  try {
    return Boolean(new SourceFunction(code) && new AsyncFunction(code));
  } catch {
    return false;
  }
}

// Nothing closes both kinds of brackets: what parses within each closes none that it did not open.
const isWhole = (text) => parses(`(${text});`) && parses(`[${text}];`);
// a line break ends a `return`
const isExpression = (text) => isWhole(text) && parses(`0 ? ${text} : 0;`) && parses(`return ${text};`);
// a class may extend just what may be called and have members
const isReference = (text) => isWhole(text) && parses(`class A extends ${text} {}`) && parses(`${text}.a;`) && parses(`${text}();`);
const isStatement = (text) => isExpression(text) && parses(`${text};`);
const isMemberName = (text) => parses(`a.${text};`) && parses(`({${text}: 0});`);
const isName = (text) => parses(`for (let ${text} of []);`) && parses(`${text}: 0;`);

// a string literal that holds whatever could end a string, comment or bracket around it; what holds objects may have
// several lines
const ENDS = '"\'`]*/${"';
const SAMPLES = { string: ['"s"', ENDS, "a.b"], number: ["1", "-1.5", "a.b"], boolean: ["true", "a.b"] };
const FIXED = {
  stringOf: ['"s"', ENDS, "`\"'*/${a}`"],
  identifier: ["a"],
  members: ["a.b", `a[\n${ENDS}]`],
  call: ["a.b()", `a.b(\n${ENDS})`],
  object: ["{}", `{\n  a: ${ENDS},\n}`],
};
const MOST_SAMPLES = 256;
const STATEMENTS = ["variable", "return", "manyOf"];

// as `alternatives` in nodes.py
function alternatives(made) {
  if (made.k === "oneOf") return made.options.flatMap(alternatives);
  return made.k === "generated" && made.node ? alternatives(made.node) : [made];
}

// A text for each kind of text that a node may write; those of blanks alone, and with spaces around them.
const samples = (made, apart) => alternatives(made).flatMap((one) => samplesOf(one, apart));

function samplesOf(made, apart) {
  const { k } = made;
  if (k === "text") return [made.text];
  if (k === "sequence") return joined(made.parts.map((part) => samples(part, apart)));
  if (k === "generated" && made.options) return made.options.length ? made.options : [""];
  if (k === "generated") throw new TypeError("free text cannot be a part of syntax; gen takes options or a node there");
  const found = k === "blank" ? SAMPLES[made.type] : k === "literal" ? [stringify(made.value)] : FIXED[k];
  if (!found) throw new TypeError("a template holds text and expressions, nothing else");
  return apart ? [...found, ...found.map((one) => ` ${one} `)] : found;
}

function joined(each) {
  if (each.some((one) => !one.length)) return [];
  const most = Math.max(1, ...each.map((one) => one.length));
  if (most ** each.length > MOST_SAMPLES)
    return Array.from({ length: most }, (_, index) => each.map((one) => one[index % one.length]).join(""));
  return each.reduce((all, one) => all.flatMap((head) => one.map((tail) => head + tail)), [""]);
}

function check(who, made, isRight, what, apart = true) {
  for (const sample of samples(made, apart))
    if (!isRight(sample)) throw new TypeError(`${who}: '${sample.trim()}' is not ${what}`);
  return made;
}

// The node, which must be an expression wherever it stands.
function expression(who, made) {
  for (const one of alternatives(made)) {
    const { k } = one;
    if (k === "sequence" || (k === "generated" && one.options)) check(who, one, isExpression, "an expression");
    else if (k === "generated") throw new TypeError(`${who}: free text need not be an expression; gen takes options or a node there`);
    else if (["property", "argument", "context"].includes(k)) throw new TypeError(`${who} takes values, such as str(), not a part of one`);
    else if (STATEMENTS.includes(k)) throw new TypeError(`${who}: a statement cannot stand within an expression`);
  }
  return made;
}

// The node, which must be a statement, or an expression that can be one.
function statement(who, made) {
  for (const one of alternatives(made)) {
    if (one.k === "sequence" || (one.k === "generated" && one.options)) check(who, one, isStatement, "an expression");
    else if (!STATEMENTS.includes(one.k)) expression(who, one); // statements were checked when they were built
  }
  return made;
}

const isRaw = (made) => alternatives(made).every(({ k }) => k === "sequence" || k === "generated");

const valueNode = (who, value) => expression(who, anyNode(value));

// a tag, such as callOf`name`, that is called with what stands in it: callOf`name`(...)
const tagged = (who, isRight, what, build, apart = true) =>
  function (strings, ...values) {
    if (strings === undefined) throw new TypeError(`${who} takes its text in back quotes: ${who}\`...\``);
    const head = check(who, template(strings, values), isRight, what, apart);
    return (...rest) => build(head, rest);
  };

export const $ = (strings, ...values) => template(strings, values);
export function oneOf(...options) {
  const made = node("oneOf", { options: options.map(anyNode) });
  return isRaw(made) ? made : statement("oneOf", made); // all of them text, or all of them syntax
}
export const manyOf = (...options) => node("manyOf", { options: options.map((option) => statement("manyOf", anyNode(option))) });

const propertyOf = (who, computed) =>
  function (strings, ...values) {
    const name = template(strings, values);
    const isFixed = name.parts.every((part) => part.k === "text");
    if (computed) check(who, name, isExpression, "an expression");
    else if (!isFixed) check(who, name, isMemberName, "a property's name"); // a fixed one is quoted where it must be
    const build = (value) => node("property", { name, value: valueNode(who, value), computed });
    return Object.defineProperties(build, { property: { value: () => node("property", { name, value: null, computed }) } });
  };
export const property = propertyOf("property", false);
export const computedProperty = propertyOf("computedProperty", true);

function members(list) {
  const found = list.map((one) => (typeof one === "function" && one.property ? one.property() : one));
  if (!found.every((one) => isNode(one) && one.k === "property")) throw new TypeError("membersOf takes properties, such as property`name`");
  return found;
}
const SUBJECT = "an expression that can have members";
const memberNode = (alone) => (subject, list) => node("members", { subject, properties: members(list), alone });
export const membersOf = tagged("membersOf", isReference, SUBJECT, memberNode(true));
export const memberOf = tagged("memberOf", isReference, SUBJECT, memberNode(false));

export function obj(...list) {
  if (!list.every((one) => isNode(one) && one.k === "property" && one.value)) throw new TypeError("obj takes properties with a value, such as property`name`(str())");
  return node("object", { properties: list });
}

function given(list) {
  const found = list.map(anyNode);
  const names = found.map((one) => (one.k === "argument" ? one.name : ""));
  if (names.some((name, index) => (!name && names[index - 1]) || (name && names.indexOf(name) !== index)))
    throw new TypeError("callOf: arguments with a name come last, each name once");
  found.filter((one) => one.k !== "argument" && one !== symbols).forEach((one) => expression("callOf", one));
  return found;
}
export const callOf = tagged("callOf", isReference, "an expression that can be called", (callee, list) =>
  node("call", { function: callee, arguments: given(list), returns: null }),
);
export function returning(type, call) {
  const [returns, made] = [anyNode(type).type, anyNode(call)];
  if (!returns || made.k !== "call") throw new TypeError("returning takes num, str or bool, and a call");
  return node("call", { ...made, returns });
}

export function arg(value, ...values) {
  if (!isTemplate(value)) return node("argument", { value: valueNode("arg", value), name: "" });
  const name = value.reduce((all, text, index) => all + values[index - 1] + text);
  if (!isName(name)) throw new TypeError(`arg: '${name}' is not an argument's name`);
  return (inner) => node("argument", { value: valueNode("arg", inner), name });
}

export function str(strings, ...values) {
  if (strings === undefined) return node("blank", { type: "string", key: keys++ });
  if (!isTemplate(strings)) return literal(String(strings));
  const found = parts(strings, values);
  if (!found.every((one) => one.k === "text" || one.k === "blank")) throw new TypeError("a string holds text, str(), num() and bool(), nothing else");
  return node("stringOf", { parts: found });
}
export const num = (value) => (value === undefined ? node("blank", { type: "number", key: keys++ }) : literal(Number(value)));
export const bool = (value) => (value === undefined ? node("blank", { type: "boolean", key: keys++ }) : literal(Boolean(value)));
export const id = () => node("identifier", { key: keys++ });
for (const blank of [str, num, bool, id]) blankOf.set(blank, blank);

export const variable = tagged(
  "variable", isName, "a variable's name",
  (name, [value]) => node("variable", { name, value: valueNode("variable", value) }),
  false, // other letters may stand around a blank
);
export const returnOf = (value) => node("return", { value: value === undefined ? null : valueNode("returnOf", value) });

export const symbols = node("context", { members: [], symbols: true });
export function contextOf(...list) {
  const known = list.filter((one) => one !== symbols);
  if (!known.every((one) => isNode(one) && one.k === "members")) throw new TypeError("contextOf takes members, such as membersOf`user`(property`name`(str)), and symbols");
  return node("context", { members: known, symbols: list.includes(symbols) });
}

export function gen(wanted = {}) {
  if (wanted === null || typeof wanted !== "object" || wanted instanceof RegExp || Array.isArray(wanted) || isNode(wanted))
    throw new TypeError(`gen takes an object, such as gen({ regex: /\\d+/ }), not ${wanted instanceof RegExp ? wanted : describe(wanted)}`);
  const { regex, options, stopAt, maxTokens, node: part, ...others } = wanted;
  const unknown = Object.keys(others);
  if (unknown.length) throw new TypeError(`gen knows regex, options, stopAt, node and maxTokens, not ${unknown.join(", ")}`);
  const kinds = Object.entries({ regex, options, stopAt, node: part }).filter(([, one]) => one !== undefined);
  if (kinds.length > 1) throw new TypeError(`gen takes one of ${kinds.map(([name]) => name).join(" and ")}`);
  if (options !== undefined && !Array.isArray(options)) throw new TypeError(`gen: options is a list of texts, not ${describe(options)}`);
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens > 0)) throw new TypeError(`maxTokens must be a number of tokens, not ${describe(maxTokens)}`);
  if (regex instanceof RegExp && regex.flags.replace(/[guy]/g, "")) throw new TypeError(`gen cannot hold a text to the flags of ${regex}`);
  return node("generated", {
    key: keys++,
    regex: regex === undefined ? null : regex instanceof RegExp ? regex.source : String(regex),
    options: options === undefined ? null : options.map(String),
    stopAt: stopAt === undefined ? null : String(stopAt),
    maxTokens: maxTokens ?? null,
    node: part === undefined ? null : anyNode(part),
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
  watch() {
    isWatched = true;
  },
  // what is awaited at a place of the program, and whether it may look at what was written
  at: (place, used, value) => (isNode(value) ? node(value.k, value, place, used) : value),
  begin() {
    if (!main) throw new Error("the program has no function 'main' and does not call 'start' with one");
    question = { k: "waiting" };
    Promise.resolve(main(params)).then(
      () => (question = going ? { k: "threw", error: new Error("main has ended while a part was not awaited") } : null),
      (error) => (question = { k: "threw", error }),
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
  question() {
    if (question?.k === "threw") throw question.error;
    return stringify(question);
  },
};
