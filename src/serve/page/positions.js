// Where values stand in a JSON text. The text itself is what is sent; this only finds places in it,
// and refuses what the server's reader would refuse by its grammar, so that texts can be put together.

export class NotJson extends Error {
  constructor(problem, offset) {
    super(problem);
    this.offset = offset;
  }
}

const MAX_DEPTH = 128;
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
// Unrolled, so that a string of megabytes needs no room to go back.
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;

/** The root of a text: {start, end, members?: [{name, value}], items?: [value]}. */
export function read(text) {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;

  const skip = () => {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
  };
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found ? found[0] : null;
  };
  const fail = (problem) => {
    throw new NotJson(at < text.length ? problem : "The text ends too early.", at);
  };
  const string = (wanted) => {
    if (text[at] !== '"') fail(`Expected ${wanted} here.`);
    const source = take(STRING);
    if (source === null) fail("This string is not closed, or holds what a string cannot hold.");
    return JSON.parse(source);
  };
  const value = (depth) => {
    if (depth > MAX_DEPTH) fail(`This is nested deeper than ${MAX_DEPTH} levels.`);
    skip();
    const node = { start: at, end: at };
    if (text[at] === "{") {
      node.members = [];
      const names = new Set();
      at += 1;
      skip();
      if (text[at] === "}") at += 1;
      else for (;;) {
        skip();
        const place = at;
        const name = string("the name of a member, in double quotes,");
        if (names.has(name)) throw new NotJson("This name stands twice in one object.", place);
        names.add(name);
        skip();
        if (text[at] !== ":") fail("Expected a colon here.");
        at += 1;
        node.members.push({ name, value: value(depth + 1) });
        skip();
        const next = text[at];
        if (next !== "," && next !== "}") fail("Expected a comma or a closing brace here.");
        at += 1;
        if (next === "}") break;
      }
    } else if (text[at] === "[") {
      node.items = [];
      at += 1;
      skip();
      if (text[at] === "]") at += 1;
      else for (;;) {
        node.items.push(value(depth + 1));
        skip();
        const next = text[at];
        if (next !== "," && next !== "]") fail("Expected a comma or a closing bracket here.");
        at += 1;
        if (next === "]") break;
      }
    } else if (text[at] === '"') {
      string("");
    } else if (take(NUMBER) === null && take(WORD) === null) {
      fail("Expected a JSON value here.");
    }
    node.end = at;
    return node;
  };

  skip();
  if (at === text.length) throw new NotJson("There is no JSON here.", at);
  const root = value(1);
  skip();
  if (at < text.length) throw new NotJson("Something follows the value. Keep one value.", at);
  return root;
}

/** The steps of a path such as $.items[].price: names, numbers, and null for every element. */
export function steps(path) {
  const found = [];
  let rest = path.startsWith("$") && (path.length === 1 || ".[".includes(path[1])) ? path.slice(1) : path;
  while (rest) {
    const element = /^\.?\[([0-9]*)\]/.exec(rest);
    if (element) {
      found.push(element[1] === "" ? null : Number(element[1]));
      rest = rest.slice(element[0].length);
      continue;
    }
    const [whole, name] = /^\.?((?:\\[^]|[^.[\\])*)/.exec(rest);
    if (!whole) break;
    found.push(name.replace(/\\([^])/g, "$1"));
    rest = rest.slice(whole.length);
  }
  return found;
}

/** What a path leads to: the values, or with `missing` the last ones on the way that are there. */
export function follow(root, path) {
  let places = [{ node: root, missing: false }];
  for (const step of steps(path)) {
    places = places.flatMap(({ node, missing }) => {
      if (missing) return [{ node, missing }];
      let next;
      if (step === null) {
        if (node.items && node.items.length) return node.items.map((item) => ({ node: item, missing: false }));
      } else if (typeof step === "number") {
        next = node.items && node.items[step];
      } else if (node.members) {
        // A member without a name is shown as two quotes.
        const named = (name) => node.members.find((member) => member.name === name);
        const member = named(step) || (step === '""' ? named("") : undefined);
        next = member && member.value;
      }
      return [next ? { node: next, missing: false } : { node, missing: true }];
    });
  }
  return places;
}

/** Line and column of an offset, both from 1; columns count characters. */
export function position(text, offset) {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < start; at = text.indexOf("\n", at + 1)) line += 1;
  return { line, column: Array.from(text.slice(start, offset)).length + 1 };
}
