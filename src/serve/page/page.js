// Sends the texts as they stand in the page, and shows what comes back. Texts from elsewhere only
// ever become text.

import { NotJson, follow, position, read } from "./positions.js";

const byId = (id) => document.getElementById(id);

/** An element; functions among its attributes listen to events. */
const el = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
};

/** A text with what cannot be seen, or moves what is around it, written as in JSON. */
const shown = (text) => text.replace(
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/g,
  (c) => (c === "\t" ? " " : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
);

/** What the server takes, in bytes, once it has said so. */
let maxBody = Infinity;

/** Tells those who listen to the page. */
const tell = (text) => {
  byId("told").textContent = text;
};

// --- Texts -------------------------------------------------------------------------------------

/** A field for a text; a file can be opened or dropped into it. */
class Pane {
  constructor(element, usualFile) {
    this.area = element.querySelector("textarea");
    this.area.spellcheck = false;
    this.area.autocapitalize = "off";
    this.label = element.querySelector("label").textContent;
    this.usualFile = usualFile;
    this.note = el("span", { class: "note" });
    this.wrong = el("p", { class: "wrong", id: `${this.area.id}-wrong`, hidden: "" });
    const chosen = async () => {
      await this.open(input.files[0]);
      // So that the same file can be chosen again, after it has changed.
      input.value = "";
    };
    const input = el("input", { type: "file", change: chosen });
    const open = el("label", { class: "file" }, "Open a file", el("span", { class: "unseen" }, ` for: ${this.label}`), input);
    this.area.after(el("div", { class: "from" }, open, this.note), this.wrong);
    this.area.setAttribute("aria-describedby", `${this.area.getAttribute("aria-describedby")} ${this.wrong.id}`);
    this.area.addEventListener("input", () => this.changed());
    const hover = (on) => (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      element.classList.toggle("over", on);
    };
    element.addEventListener("dragover", hover(true));
    element.addEventListener("dragleave", hover(false));
    element.addEventListener("drop", (event) => {
      hover(false)(event);
      if (event.dataTransfer.files.length) this.open(event.dataTransfer.files[0]);
    });
  }

  get text() {
    return this.area.value;
  }

  get blank() {
    return this.text.trim() === "";
  }

  get file() {
    return this.fileName || this.usualFile;
  }

  /** Its file as a word for a command: never one that looks like an option. */
  get word() {
    return this.file.startsWith("-") ? `./${this.file}` : this.file;
  }

  set(text, fileName) {
    this.area.value = text;
    this.changed();
    if (fileName) {
      this.fileName = fileName;
      this.note.textContent = shown(fileName);
    }
  }

  changed() {
    this.fileName = undefined;
    this.note.textContent = "";
    this.wrong.hidden = true;
    this.area.removeAttribute("aria-invalid");
  }

  async open(file) {
    if (!file) return;
    if (file.size > maxBody) {
      this.complain(`${shown(file.name)} has ${file.size} bytes; this server takes ${maxBody}.`);
      return;
    }
    try {
      // What is not UTF-8 is refused: with characters replaced it would be another text.
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      this.set(text, file.name);
      tell(`${shown(file.name)} is in the field ${this.label}.`);
    } catch {
      this.complain(`${shown(file.name)} could not be read as text in UTF-8.`);
    }
  }

  complain(problem, offset) {
    const at = offset === undefined ? null : position(this.text, offset);
    this.wrong.textContent = at ? `Line ${at.line}, column ${at.column}: ${problem}` : problem;
    this.wrong.hidden = false;
    this.area.setAttribute("aria-invalid", "true");
    this.select(offset, offset);
    tell(`${this.label}: ${this.wrong.textContent}`);
  }

  /** The root of the text; undefined where the text is wrong, which is told. */
  read() {
    try {
      return read(this.text);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      this.complain(error.message, error.offset);
      return undefined;
    }
  }

  /** Marks a part of the text, and brings it into view. */
  select(start, end) {
    this.area.focus();
    if (start === undefined) return;
    this.area.setSelectionRange(start, end);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (position(this.text, start).line - 4) * height);
  }
}

const FILES = {
  schema: "schema.json", answer: "output.json", rules: "rules.json", request: "request.json",
  paper: "receipt.json", about: "request.json", card: "agent-card.json",
};
const panes = Object.fromEntries(Array.from(document.querySelectorAll("[data-pane]"), (element) => {
  const name = element.dataset.pane;
  return [name, new Pane(element, FILES[name])];
}));

// A file that misses its field must not take the place of the page.
for (const name of ["dragover", "drop"]) {
  addEventListener(name, (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
}

/** A text put together from others, which stand in it exactly as they are. */
class Composed {
  constructor() {
    this.text = "";
    this.parts = [];
  }

  add(text) {
    this.text += text;
  }

  /** A pane's text, or a part of it, on lines of its own, so that lines can be told apart. */
  put(pane, from = 0, to = pane.text.length) {
    this.add("\n");
    // A byte order mark belongs to a file, not to a value in it.
    const text = pane.text.slice(from, to).replace(/^\ufeff/, "");
    const [first, lines] = [this.text.split("\n").length, text.split("\n").length];
    this.parts.push({ pane, first, last: first + lines - 1, own: position(pane.text, from).line });
    this.add(`${text}\n`);
  }

  /** The server's message, with lines as they are in the panes. */
  told(message) {
    return message.replace(/at line ([0-9]+), column ([0-9]+)(?: \(byte offset [0-9]+\))?/, (whole, line, column) => {
      const part = this.parts.find(({ first, last }) => first <= line && line <= last);
      return part ? `in “${part.pane.label}” at line ${line - part.first + part.own}, column ${column}` : whole;
    });
  }
}

// --- What is shown -----------------------------------------------------------------------------

/** The line around a value, with the value marked. */
const snippet = (text, { start, end }) => {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const from = Math.max(lineStart, start - 60);
  const lineEnd = (text.indexOf("\n", start) + text.length + 1) % (text.length + 1);
  // Of an object or a list its first sign: it can be long.
  const marked = "{[".includes(text[start]) ? start + 1 : Math.min(end, start + 120);
  const to = Math.min(lineEnd, marked + 60);
  const before = shown(text.slice(from, start));
  return el("pre", { class: "snippet" },
    from === lineStart ? before.trimStart() : `…${before}`,
    el("mark", {}, shown(text.slice(start, marked))),
    shown(text.slice(marked, to).trimEnd()), to < lineEnd ? "…" : null);
};

const MAX_PLACES = 5;

/** Where a path leads in a pane: ways there, and the lines. */
const places = (pane, root, path) => {
  if (!root) return [];
  const found = follow(root, path);
  const lines = found.slice(0, MAX_PLACES).map(({ node, missing }) => {
    const { line, column } = position(pane.text, node.start);
    const go = () => pane.select(node.start, node.end);
    return el("div", {}, missing ? "missing in " : null,
      el("button", { type: "button", class: "place", click: go }, `${pane.label}, line ${line}, column ${column}`),
      snippet(pane.text, node));
  });
  const more = found.length - MAX_PLACES;
  return more > 0 ? [...lines, el("div", { class: "note" }, `and ${more} more places`)] : lines;
};

/** A list of names with their values; what has no value is left out. */
const terms = (...pairs) => el("dl", {}, pairs
  .filter(([, value]) => value !== null && value !== undefined && value.length !== 0)
  .map(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "string" ? shown(value) : value)]));

/** A word as shells read it. What would not be shown as it is, is written as bash and zsh have it. */
const quoted = (word) => {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
  if (shown(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${shown(word.replace(/[\\']/g, "\\$&").replaceAll("\t", "\\t"))}'`;
};

/** An option with its value, which may begin with a dash. */
const option = (name, value) => (value.startsWith("-") ? [`${name}=${value}`] : [name, value]);

/** What is to be done first where texts of a command are in no file of that name. */
const filesFirst = (used) => {
  const names = used.filter((pane) => !pane.fileName).map((pane) => pane.file);
  return names.length ? `First put what stands above into files of these names: ${names.join(", ")}. ` : "";
};

/** A command line that does the same. */
const command = (words, note) => {
  const line = words.map(quoted).join(" ");
  const code = el("pre", { class: "command" }, line);
  const done = el("span", { class: "note" });
  const say = (text) => {
    done.textContent = text;
    tell(text);
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      say("Copied.");
    } catch {
      // Only pages over https or of this machine may write there.
      getSelection().selectAllChildren(code);
      say("The command is selected; copy it with the keyboard.");
    }
  };
  return [el("h4", {}, "The same on the command line"), code,
    el("p", { class: "actions" }, el("button", { type: "button", class: "quiet", click: copy }, "Copy"), " ", done),
    el("p", { class: "note" }, note)];
};

const show = (place, kind, ...content) => {
  const whole = el("div", {}, content);
  place.className = `result ${kind}`;
  place.replaceChildren(...whole.childNodes);
  place.hidden = false;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
};

/** An error of the server. `locate` finds a field in the panes. */
const refusal = (place, error, composed, locate) => {
  const fields = (error.fields || []).map(({ field, problem, fix }) => {
    // What is wrong inside a schema is told with its path there.
    const [, inside] = /: at \$(\S*) it /.exec(problem) || [];
    return el("li", { class: "error" }, el("h5", {}, shown(field)),
      terms(["problem", problem], ["fix", fix], ["place", places(...locate(field + (inside || "")))]));
  });
  // What asks for payment says so in `error`.
  const message = composed.told(error.message || error.error);
  show(place, "error", el("h3", {}, "Not checked"), el("p", {}, shown(message)),
    fields.length ? el("ol", { class: "findings" }, fields) : null,
    error.guidance && !fields.length ? el("p", { class: "note" }, error.guidance.what_to_do) : null);
  tell(`Not checked. ${shown(message)}`);
};

/** What keeps a check from being made, in words for people. */
class Trouble extends Error {}

const ask = async (path, options) => {
  try {
    return await fetch(path, options);
  } catch {
    throw new Trouble("The server cannot be reached, or it broke off. See that it is running, and try again.");
  }
};

const send = async (path, text) => {
  // A server that is sent too much hangs up, and its answer is lost on the way.
  const size = new Blob([text]).size;
  if (size > maxBody) throw new Trouble(`This has ${size} bytes together; this server takes ${maxBody}.`);
  const answer = await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: text });
  try {
    const answered = await answer.text();
    const left = answer.headers.get("Free-Allowance-Remaining");
    return { ok: answer.ok, text: answered, json: JSON.parse(answered), left };
  } catch {
    // A proxy in front of the server has pages of its own for that.
    throw new Trouble(`What came with status ${answer.status} is no answer of this server. Is there a proxy in between?`);
  }
};

/** What the form of a section does; its button is out of reach meanwhile. */
const submit = (section, work) => {
  const place = section.querySelector(".result");
  const button = section.querySelector("[type=submit]");
  section.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.getAttribute("aria-disabled")) return;
    button.setAttribute("aria-disabled", "true");
    // What is said twice is heard twice only if there was something else in between.
    tell("");
    const before = place.firstChild;
    try {
      await work(place);
      // What was found before is not about what stands there now.
      if (place.firstChild === before) place.hidden = true;
    } catch (error) {
      const known = error instanceof Trouble;
      if (!known) console.error(error);
      const why = known ? error.message : `This page could not make sense of the answer: ${error.message}`;
      show(place, "error", el("h3", {}, "Not checked"), el("p", {}, shown(why)));
      tell(`Not checked. ${shown(why)}`);
    } finally {
      button.removeAttribute("aria-disabled");
    }
  });
};

/** A button that lets the browser save a text as a file. */
const save = (label, text, name) => el("button", {
  type: "button",
  class: "quiet",
  click: () => {
    const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: name });
    link.click();
    // Some browsers read it only after the click.
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  },
}, label);

// --- An output ---------------------------------------------------------------------------------

const output = byId("output");
const modes = Array.from(output.querySelectorAll("[name=mode]"));
const setMode = (name) => {
  for (const radio of modes) radio.checked = radio.value === name;
  for (const part of output.querySelectorAll("[data-mode]")) part.hidden = part.dataset.mode !== name;
};
for (const radio of modes) radio.addEventListener("change", () => setMode(radio.value));

/** The request as it stands, where its parts are, and the command for it; null where it is wrong. */
const wholeRequest = () => {
  const pane = panes.request;
  const root = pane.read();
  if (!root) return null;
  const composed = new Composed();
  composed.add(pane.text);
  composed.parts.push({ pane, first: 1, last: Infinity, own: 1 });
  const checked = (root.members || []).find(({ name }) => name === "submitted_output");
  return {
    composed,
    locateField: (field) => [pane, root, field],
    locateValue: (path) => [pane, checked && checked.value, path],
    command: ["aov", "verify", "--request", pane.word],
    note: `${filesFirst([pane])}It makes the same checks on your machine, and signs nothing; aov attest signs with a key of yours.`,
  };
};

/** The same of a request whose parts are apart. */
const requestOfParts = () => {
  const { schema, answer, rules } = panes;
  const roots = new Map();
  for (const pane of [schema, answer, rules]) {
    if (pane !== answer && pane.blank) continue;
    const root = pane.read();
    if (!root) return null;
    roots.set(pane, root);
  }
  const [task, agent] = [byId("task").value || "check-1", byId("agent").value];
  const [enforced, strict] = [byId("enforce").checked, byId("strict").checked];
  const rulesRoot = roots.get(rules);
  const says = ((rulesRoot && rulesRoot.members) || []).some(({ name }) => name === "enforce_rules");

  const composed = new Composed();
  composed.add(`{"task_id": ${JSON.stringify(task)}`);
  if (agent) composed.add(`, "agent_id": ${JSON.stringify(agent)}`);
  composed.add(', "expected_schema": ');
  if (roots.has(schema)) composed.put(schema);
  else composed.add("true");
  composed.add(', "submitted_output": ');
  composed.put(answer);
  if (rulesRoot && !rulesRoot.members) {
    composed.add(', "rules": ');
    composed.put(rules);
  } else if (rulesRoot && rulesRoot.members.length) {
    // They become members of the request, so that what does not belong there is refused.
    composed.add(",");
    composed.put(rules, rulesRoot.start + 1, rulesRoot.end - 1);
  }
  if (!says) composed.add(`, "enforce_rules": ${enforced}`);
  if (strict) composed.add(', "strict_content_check": true');
  composed.add("}");

  const line = ["aov", "verify"];
  if (roots.has(schema)) line.push("-s", schema.word);
  if (rulesRoot) line.push("-r", rules.word);
  if (rulesRoot && !says && !enforced) line.push("--no-enforce-rules");
  if (strict) line.push("--strict");
  line.push(...option("--task-id", task));
  if (agent) line.push(...option("--agent-id", agent));
  line.push(answer.word);
  // The command wants to be told what to check by.
  const whole = !roots.has(schema) && !rulesRoot;
  return {
    composed,
    locateField: (field) => {
      const [, first, rest] = /^([a-z_]*)\.?([^]*)$/.exec(field);
      if (first === "expected_schema") return [schema, roots.get(schema), rest];
      if (first === "submitted_output") return [answer, roots.get(answer), rest];
      return [rules, rulesRoot, rulesRoot && rulesRoot.members ? field : rest];
    },
    locateValue: (path) => [answer, roots.get(answer), path],
    command: whole ? ["aov", "verify", "--request", "request.json"] : line,
    note: `${whole ? "Save the request above first. " : filesFirst(Array.from(roots.keys()))}It makes the same checks on your machine, and signs nothing; aov attest signs with a key of yours.`,
  };
};

const score = (name, { passed, total, ratio }) => el("tr", {}, el("th", { scope: "row" }, name),
  el("td", {}, `${passed} of ${total}`), el("td", {}, `${Math.floor(ratio * 1000) / 10} %`),
  el("td", {}, el("meter", { value: ratio, min: 0, max: 1, "aria-hidden": "true" })));

const finding = (hint, answer, asked) => {
  const [family] = hint.check.split(":");
  const blocks = family === "schema" || (family === "content" ? answer.strict_content_check : answer.enforce_rules);
  return el("li", { class: blocks ? "fail" : "undecided" },
    el("h5", {}, hint.check, " ", el("span", {}, blocks ? "counts" : "informs only")),
    terms(["path", hint.path], ["place", places(...asked.locateValue(hint.path))],
      ["expected", hint.expected], ["found", hint.found]));
};

const findings = (answer, asked) => [
  el("h4", {}, `Findings (${answer.hints_total})`),
  el("ol", { class: "findings" }, answer.hints.map((hint) => finding(hint, answer, asked))),
  answer.hints_omitted ? el("p", { class: "note" }, `${answer.hints_omitted} more are not listed.`) : null,
];

submit(output, async (place) => {
  const asked = modes.find((radio) => radio.checked).value === "whole" ? wholeRequest() : requestOfParts();
  if (!asked) return;
  const { ok, text, json: answer, left } = await send("verify/schema", asked.composed.text);
  if (!ok) {
    refusal(place, answer, asked.composed, asked.locateField);
    return;
  }
  const checkReceipt = async () => {
    panes.paper.set(text);
    panes.about.set(asked.composed.text);
    await fill(panes.card, fillInOwnCard, "");
    location.hash = "receipt";
  };
  const passed = answer.result === "pass";
  const compact = answer.hints === undefined;
  show(place, answer.result,
    el("h3", {}, passed ? "Pass" : "Fail"),
    compact ? el("p", {}, "The request asks for the compact answer, which lists no findings and no scores.") : [
      el("p", {}, passed ? "The output has what was asked for." : `What made it fail: ${answer.summary.blocking_checks.join(", ")}.`),
      el("table", { class: "scores" }, el("tbody", {}, score("Schema", answer.schema_compliance),
        score("Integrity", answer.integrity_checks), score("Together", answer.overall))),
      answer.hints.length ? findings(answer, asked) : null,
    ],
    el("h4", {}, "The receipt"),
    el("p", {}, "This server signed the answer. Whole and unchanged, it is a receipt that others can check."),
    el("p", { class: "actions" }, save("Save the receipt", text, "receipt.json"),
      save("Save the request", asked.composed.text, "request.json"),
      el("button", { type: "button", class: "quiet", click: checkReceipt }, "Check this receipt")),
    el("details", {}, el("summary", {}, "The answer as it came"), el("pre", {}, shown(JSON.stringify(answer, null, 2)).replaceAll("\\u000a", "\n"))),
    command(asked.command, asked.note),
    left === null ? null : el("p", { class: "note" }, `Free checks left today: ${left}.`));
  tell(passed ? "Pass." : "Fail.");
});

// --- A receipt ---------------------------------------------------------------------------------

const receipt = byId("receipt");

const fillInOwnCard = async () => {
  const answer = await ask(".well-known/agent-card.json");
  if (!answer.ok) throw new Trouble(`The server's card was answered with status ${answer.status}.`);
  panes.card.set(await answer.text());
};

/** Does what a button fills in; what keeps it from that is told at the field. */
const fill = async (pane, work, done) => {
  tell("");
  try {
    if (await work() !== false) tell(done);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    pane.complain(error.message);
  }
};
byId("own-card").addEventListener("click", () => fill(panes.card, fillInOwnCard, "This server's card is in the field."));

const VERDICTS = {
  valid: { name: "Valid", look: "pass", claims: "What was proved" },
  invalid: { name: "Invalid", look: "fail", claims: "What it claims (disproved)" },
  undecided: { name: "Undecided", look: "undecided", claims: "What it claims (not proved)" },
};
const STATUSES = {
  failed: { name: "Failed", look: "fail" },
  passed: { name: "Passed", look: "pass" },
  not_checked: { name: "Not checked", look: "undecided" },
};

const claims = (checked) => {
  const said = checked.verdict === "valid" ? checked : checked.claimed;
  const flag = (value, no) => (typeof value === "boolean" ? (value ? "enforced" : no) : null);
  const named = said.issuer === null && checked.claimed.issuer;
  return terms(["issuer", said.issuer], ["key version", said.key_version], ["result", said.result],
    ["rules", flag(said.enforce_rules, "not enforced: they did not count")],
    ["content", flag(said.strict_content_check, "not enforced: it did not count")],
    ["trust score", said.trust_score], ["task", said.task_id],
    ["agent", said.agent_id && `${said.agent_id} (the caller's label, not an identity)`],
    ["signed at", said.verified_at], ["check id", said.verification_id],
    ["named", named ? `${named} (the signer calls itself so; whose key it is, is your word)` : null]);
};

const steps = (checked) => Object.entries(STATUSES).flatMap(([status, { name, look }]) =>
  checked.steps.filter((step) => step.status === status).map((step) => el("li", { class: look },
    el("div", {}, el("strong", {}, name), ` ${step.step.replaceAll("_", " ")}`),
    el("span", {}, shown(step.detail)))));

submit(receipt, async (place) => {
  const composed = new Composed();
  const line = ["aov", "check-receipt"];
  const roots = new Map();
  for (const [pane, field, flag] of [
    [panes.paper, "receipt"], [panes.about, "request", "--request"], [panes.card, "agent_card", "--agent-card"],
  ]) {
    if (flag && pane.blank) continue;
    const root = pane.read();
    if (!root) return;
    composed.add(`${roots.size ? ", " : "{"}"${field}": `);
    composed.put(pane);
    roots.set(field, [pane, root, ""]);
    if (flag) line.push(flag, pane.word);
  }
  const add = (field, value, ...words) => {
    composed.add(`, "${field}": ${JSON.stringify(value)}`);
    line.push(...words);
  };
  const key = byId("key").value.trim();
  const issuers = byId("issuers").value.split(",").map((issuer) => issuer.trim()).filter((issuer) => issuer);
  if (key) add("public_key", key, ...option("--public-key", key));
  if (issuers.length) add("issuers", issuers, ...issuers.flatMap((issuer) => option("--issuer", issuer)));
  if (byId("all").checked) add("require", ["all"], "--require", "all");
  if (byId("recheck").checked) add("recheck", true, "--recheck");
  composed.add("}");
  line.push(panes.paper.word);
  const used = [panes.paper, panes.about, panes.card].filter((pane) => !pane.blank);

  const { ok, json: checked } = await send("receipt/check", composed.text);
  if (!ok) {
    refusal(place, checked, composed, (field) => roots.get(field) || []);
    return;
  }
  const { name, look, claims: heading } = VERDICTS[checked.verdict];
  const unsigned = checked.unsigned.join(", ");
  show(place, look,
    el("h3", {}, name, checked.result ? ` (result: ${shown(checked.result)})` : null),
    checked.result === "fail" ? el("p", {}, "The receipt is genuine, and says that the output failed its checks.") : null,
    el("h4", {}, heading), claims(checked),
    el("h4", {}, "Steps"), el("ul", { class: "steps" }, steps(checked)),
    unsigned ? el("p", {}, `Not covered by the signature: attestation members ${shown(unsigned)}.`) : null,
    look !== "pass" ? null : el("p", { class: "note" }, "A valid receipt does not prove that the data is true, who made the output, or that it is shown for the first time."),
    command(line, `${filesFirst(used)}There, --fetch also gets the card that the receipt names.`));
  tell(`${name}.`);
});

// --- The page itself ---------------------------------------------------------------------------

const SCHEMA = `{
  "type": "object",
  "required": ["invoice_id", "line_items", "total"],
  "properties": {
    "invoice_id": {"type": "string", "pattern": "^INV-[0-9]{4}$"},
    "line_items": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["sku", "line_total"],
        "properties": {"line_total": {"type": "number", "minimum": 0}}
      }
    },
    "total": {"type": "number"}
  }
}
`;
const RULES = `[
  {"type": "sum_equals", "field": "line_items[].line_total", "equals_field": "total"},
  {"type": "unique", "field": "line_items[].sku"}
]
`;
const invoice = (id, total) => `{
  "invoice_id": "${id}",
  "line_items": [
    {"sku": "CRWL-100", "line_total": 87.0},
    {"sku": "CRWL-200", "line_total": 42.5}
  ],
  "total": ${total}
}
`;
const PASSING = invoice("INV-7731", "129.5");
const FAILING = invoice("7731", "135.0");

const EXAMPLES = {
  fail: () => {
    setMode("parts");
    panes.schema.set(SCHEMA);
    panes.rules.set(RULES);
    panes.answer.set(FAILING);
  },
  pass: () => {
    EXAMPLES.fail();
    panes.answer.set(PASSING);
  },
  /** A receipt of this very server, made now. Agents whose name begins with test- are not recorded. */
  receipt: async () => {
    const below = (text) => text.trim().replaceAll("\n", "\n  ");
    const request = `{
  "task_id": "example",
  "agent_id": "test-example",
  "expected_schema": ${below(SCHEMA)},
  "rules": ${below(RULES)},
  "enforce_rules": true,
  "submitted_output": ${below(PASSING)}
}
`;
    const { ok, text, json } = await send("verify/schema", request);
    if (!ok) {
      panes.paper.complain(shown(json.message || json.error));
      return false;
    }
    panes.paper.set(text);
    panes.about.set(request);
    return fillInOwnCard();
  },
};
for (const button of document.querySelectorAll("[data-example]")) {
  const { example } = button.dataset;
  button.addEventListener("click", () => fill(panes.paper, EXAMPLES[example], "The example is filled in."));
}

/** Shows the section that the address names. */
const goTo = () => {
  const wanted = location.hash === "#receipt" ? receipt : output;
  for (const section of [output, receipt]) section.hidden = section !== wanted;
  for (const link of document.querySelectorAll("nav a[href^='#']")) {
    if (link.hash === `#${wanted.id}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  return wanted;
};
addEventListener("hashchange", () => goTo().querySelector("h2").focus());
goTo();

// What this server is called and what is free, as it says itself.
(async () => {
  const answer = await fetch("./", { headers: { Accept: "application/json" } }).catch(() => null);
  // Without it the page does the same; only the server is not named.
  const index = answer && answer.ok ? await answer.json().catch(() => null) : null;
  if (!index) return;
  maxBody = index.max_body_bytes;
  document.title = shown(index.name);
  byId("name").textContent = shown(index.name);
  byId("allowance").textContent = `${index.free_allowance.description} ${index.price}`;
  byId("version").textContent = `${index.version} ·`;
})();
