// The API's reference, from the OpenAPI document of this edge.
const METHODS = ["get", "post", "put", "patch", "delete", "options"];
let all = [];

async function load() {
  const answer = await ask("/openapi.json", 15000);
  $("about").replaceChildren();
  if (!answer.ok) {
    say($("title"), "The reference cannot be shown");
    $("about").append(refused(answer), answer.status ? "" : h("p", {}, h("button", { type: "button", click: load }, "Ask again")));
    return;
  }
  api = answer.body;
  about();
  list();
  find();
  reveal();
}

function about() {
  say($("title"), `${api.info.title}, ${api.info.version}`);
  $("about").append(
    ...api.info.description.split("\n\n").map((text) => h("p", {}, ...rich(text))),
    h("p", {}, api.servers.length > 1 ? "Its addresses: " : "Its address: ", ...api.servers.flatMap((server, index) => [index ? ", " : "", h("code", {}, server.url)])),
    later(h("summary", {}, "Who may ask"), () => h("dl", { class: "fields" }, ...Object.entries(api.components.securitySchemes).map(([name, one]) => h("div", {}, h("dt", {}, h("code", {}, name)), h("dd", {}, ...rich(one.description)))))));
}

function list() {
  const groups = new Map(api.tags.map((tag) => [tag.name, { ...tag, entries: [] }]));
  all = [];
  for (const [path, item] of Object.entries(api.paths)) for (const method of METHODS) {
    const one = item[method];
    if (!one) continue;
    const entry = { id: one.operationId, text: searched(method, path, one), element: operation(method, path, one) };
    // An operation with several methods has one name and as many entries.
    entry.element.id = `${one.operationId}${all.some(({ id }) => id === one.operationId) ? `-${method}` : ""}`;
    all.push(entry);
    (groups.get(one.tags?.[0]) ?? groups.values().next().value).entries.push(entry);
  }
  const used = [...groups.values()].filter(({ entries }) => entries.length);
  $("operations").replaceChildren(...used.map((group) => h("section", { "aria-labelledby": `group-${group.name}` }, h("h2", { id: `group-${group.name}` }, group.name), h("p", { class: "soft small" }, group.description ?? ""), ...group.entries.map(({ element }) => element))));
  $("groups").replaceChildren(h("ul", {}, ...used.map(({ name }) => h("li", {}, h("a", { href: `#group-${name}` }, name)))));
}

/** All words of an operation, with those of the schemas that its body refers to. */
function searched(method, path, one) {
  const words = [method, path, one.operationId, one["x-operation"], one.summary, one.description];
  for (const given of one.parameters ?? []) { const part = resolve(given); words.push(part.name, part.description); }
  for (const { schema } of Object.values(one.requestBody?.content ?? {})) for (const [name, part] of Object.entries(whole(schema).properties ?? {})) words.push(name, part.description);
  for (const [status, given] of Object.entries(one.responses)) {
    const part = resolve(given);
    words.push(status, part.description, ...Object.values(part.content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {})));
  }
  return words.join(" ").toLowerCase();
}

function operation(method, path, one) {
  return later(h("summary", {}, h("span", { class: "method" }, method.toUpperCase()), h("span", { class: "path" }, path), h("span", { class: "soft" }, one.summary)), () => h("div", {},
    one.description ? h("p", {}, ...rich(one.description)) : null,
    h("p", { class: "soft small" }, `In the settings and the log: ${one["x-operation"]}. `, callers(one.security)),
    parameters(one.parameters ?? []), body(one.requestBody), answers(one.responses)));
}

const callers = (security = []) => security.some((way) => !Object.keys(way).length) ? "Everybody may ask." : `Needs ${security.map((way) => Object.keys(way).join(" with ")).join(", or ")}.`;

function parameters(given) {
  const parts = given.map(resolve);
  if (!parts.length) return null;
  return [h("h3", {}, "Parameters"), h("dl", { class: "fields" }, ...parts.map((part) => field(part.name, { ...part.schema, description: part.description ?? part.schema.description }, part.required, part.in)))];
}

/** Bodies of one shape are shown once, with all their media types. */
function body(given) {
  if (!given) return null;
  const shapes = Map.groupBy(Object.entries(given.content), ([, { schema }]) => JSON.stringify(schema));
  return [h("h3", {}, `Body${given.required ? ", required" : ""}`), ...[...shapes.values()].flatMap((kinds) => [h("h4", {}, kinds.map(([kind]) => kind).join(", ")), shape(kinds[0][1].schema)])];
}

function answers(responses) {
  return [h("h3", {}, "Answers"), ...Object.entries(responses).map(([status, given]) => {
    const answer = resolve(given);
    return later(h("summary", {}, h("span", { class: "method" }, status), h("span", {}, ...rich(answer.description))), () => h("div", {},
      answer.headers ? [h("h4", {}, "Headers"), h("dl", { class: "fields" }, ...Object.entries(answer.headers).map(([name, header]) => field(name, { ...resolve(header).schema, description: resolve(header).description })))] : null,
      ...Object.entries(answer.content ?? {}).flatMap(([kind, { schema, example, examples }]) => [h("h4", {}, kind), schema ? shape(schema) : null, ...samples(example ?? (schema && !examples ? whole(schema).examples?.[0] : undefined), examples)])));
  })];
}

function samples(example, examples = {}) {
  const found = Object.entries(examples).map(([name, { summary, value: sample }]) => later(h("summary", {}, h("code", {}, name), h("span", { class: "small" }, ...rich(summary ?? ""))), () => h("pre", { tabindex: 0 }, JSON.stringify(sample, null, 2))));
  return example === undefined ? found : [h("pre", { tabindex: 0 }, JSON.stringify(example, null, 2)), ...found];
}

/** Shows the operations that hold every word. */
function find() {
  const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { element, text } of all) {
    const is = words.every((word) => text.includes(word));
    element.hidden = !is;
    count += is;
  }
  for (const section of $("operations").children) section.hidden = [...section.querySelectorAll(":scope > details")].every((one) => one.hidden);
  say($("found"), words.length ? `${count} of ${all.length} operations` : `${all.length} operations`);
}

/** Opens the operation that the address names. */
function reveal() {
  const element = location.hash.length > 1 && $(decodeURIComponent(location.hash.slice(1)));
  if (!element) return;
  if (element.matches("details")) element.open = true;
  element.scrollIntoView();
}

attributes($("find"), { input: find });
addEventListener("hashchange", reveal);
token(load);
load();
