// Schemas in words.
let api = null;

const last = (reference) => reference.split("/").at(-1);
const resolve = (part) => part?.$ref ? part.$ref.split("/").slice(1).reduce((at, name) => at[name.replaceAll("~1", "/").replaceAll("~0", "~")], api) : part;
const value = (given) => typeof given === "string" && given ? given : JSON.stringify(given);

/** A schema together with what it refers to: what stands beside the reference comes first. */
function whole(schema) {
  const { $ref, ...own } = schema;
  return $ref ? { ...whole(resolve(schema)), ...own, named: last($ref) } : own;
}

/** The type of a value, as a reader would say it. */
function type(given) {
  const schema = whole(given);
  if (schema.const !== undefined) return value(schema.const);
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return [...new Set(choice.map(type))].join(" or ");
  const names = [schema.type ?? (schema.properties ? "object" : "anything")].flat();
  return names.map((name) => name === "array" && schema.items ? `list of ${type(schema.items)}` : name === "object" && schema.named ? schema.named : name).join(" or ");
}

const BOUNDS = [
  ["format", "format"], ["minimum", "at least"], ["maximum", "at most"], ["exclusiveMinimum", "more than"], ["minLength", "characters at least"], ["maxLength", "characters at most"],
  ["minItems", "entries at least"], ["maxItems", "entries at most"], ["minProperties", "members at least"], ["default", "default"], ["pattern", "pattern"],
];

/** JavaScript cannot hold the largest numbers of `int64`, and would show others. */
const isExact = (bound) => bound !== undefined && (typeof bound !== "number" || Math.abs(bound) <= Number.MAX_SAFE_INTEGER);

/** The bounds of a schema as names and values. */
function bounds(schema) {
  const found = BOUNDS.filter(([key]) => isExact(schema[key])).map(([key, name]) => [name, [schema[key]]]);
  if (schema.enum) found.push(["one of", schema.enum]);
  if (schema.items) for (const [name, values] of bounds(whole(schema.items))) found.push([`each: ${name}`, values]);
  for (const one of schema.anyOf ?? schema.oneOf ?? []) {
    const part = whole(one);
    if (part.const === undefined && !part.properties) for (const [name, values] of bounds(part)) if (!found.some(([known, same]) => known === name && `${same}` === `${values}`)) found.push([name, values]);
  }
  return found;
}

function told(pairs) {
  return pairs.flatMap(([name, values], index) => [index ? "; " : "", `${name} `, ...values.flatMap((one, place) => [place ? ", " : "", h("code", {}, value(one))])]);
}

/** A named value: what it is, what bounds it, and what it means. */
function field(name, schema, isRequired, where) {
  const full = whole(schema);
  const facts = bounds(full);
  const strict = schema["x-strict"] ? bounds(schema["x-strict"]) : [];
  // Of an object the members are shown, each with its own.
  const examples = full.properties ? [] : full.examples ?? (full.example === undefined ? [] : [full.example]);
  return h("div", {},
    h("dt", {}, h("code", {}, name), isRequired ? h("span", { class: "warn small" }, " required") : null),
    h("dd", {}, h("p", {}, h("b", {}, type(schema)), where ? ` in the ${where}` : null), full.description ? h("p", {}, ...rich(full.description)) : null,
      facts.length ? h("p", { class: "facts" }, ...told(facts)) : null,
      strict.length ? h("p", { class: "facts" }, "In the strict profile: ", ...told(strict)) : null,
      examples.length ? h("p", { class: "facts" }, ...told([[examples.length > 1 ? "examples" : "example", examples]])) : null,
      full.properties || full.items ? inner(full) : null));
}

/** The members of an object, or of a list's entries, on demand. */
function inner(schema) {
  const full = whole(schema.properties ? schema : schema.items);
  if (!full.properties) return null;
  return later(h("summary", {}, `Members${full.named ? ` of ${full.named}` : ""}`), () => members(full));
}

function members(schema) {
  const required = new Set(schema.required ?? []);
  return h("dl", { class: "fields" }, ...Object.entries(schema.properties).map(([name, one]) => field(name, one, required.has(name))));
}

/** Details that are made when they are opened: the whole document at once would be large. */
function later(summary, make, values = {}) {
  const details = h("details", values, summary);
  attributes(details, { toggle: () => { if (details.open && details.children.length === 1) details.append(...filtered([make()])); } });
  return details;
}

function shape(schema) {
  const full = whole(schema);
  const choice = full.oneOf ?? full.anyOf;
  return h("div", {}, h("p", { class: "small" }, full.named && full.named !== type(full) ? [h("b", {}, full.named), ": ", type(full)] : h("b", {}, type(full)), full.description ? [". ", ...rich(full.description)] : null),
    full.properties ? members(full) : full.items ? inner(full) : choice ? choice.filter((one) => whole(one).properties).map((one) => later(h("summary", {}, whole(one).named ?? type(one)), () => members(whole(one)))) : null);
}
