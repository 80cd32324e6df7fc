// Elements are made of text only: nothing in a response is ever read as markup.
const $ = (id) => document.getElementById(id);

function attributes(element, values) {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

const filtered = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined);

function h(name, values = {}, ...children) {
  const element = attributes(document.createElement(name), values);
  element.append(...filtered(children));
  return element;
}

/** Text whose parts between backticks are code. */
const rich = (text) => text.split("`").map((part, index) => index % 2 ? h("code", {}, part) : part);

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const TOKEN = "calendar-edge-token";
const denials = new Map();

/** Sends a request to the edge: `{ok, status, body}`; `status` is 0 without a response. */
async function ask(path, patience = 5000) {
  const headers = {};
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  try {
    const answer = await fetch(path, { headers, cache: "no-store", redirect: "error", signal: AbortSignal.timeout(patience) });
    const text = await answer.text();
    const isJson = (answer.headers.get("content-type") || "").includes("json");
    const body = isJson ? JSON.parse(text) : text;
    note(path, answer.status, body);
    return { ok: answer.ok, status: answer.status, body };
  } catch {
    return { ok: false, status: 0, body: null };
  }
}

const isDenied = (status) => status === 401 || status === 403;

function note(path, status, body) {
  if (!isDenied(status)) denials.delete(path);
  else denials.set(path, body?.message || `status ${status}`);
  $("access").hidden = !denials.size && !sessionStorage.getItem(TOKEN);
}

/** The text in the place of a part that the edge does not show here. */
function refused(answer) {
  const { status } = answer;
  if (!isDenied(status)) return h("p", { class: "soft" }, status === 404 ? "This edge does not offer this part." : status ? `The edge answered with status ${status}.` : "The edge did not answer.");
  return h("div", { class: "denied" },
    h("p", {}, h("b", {}, "Denied. "), answer.body?.message || "The edge shows this to its own machine only."),
    h("p", {}, h("button", { type: "button", class: "plain", click: openToken }, "Enter a token")));
}

function openToken() {
  say($("token-state"), sessionStorage.getItem(TOKEN) ? "A token is in use in this tab." : "No token is in use.");
  $("token-dialog").showModal();
}

function token(onChange) {
  const keep = (value) => {
    if (value) sessionStorage.setItem(TOKEN, value);
    else sessionStorage.removeItem(TOKEN);
    $("token").value = "";
    $("token-dialog").close();
    onChange();
  };
  attributes($("access"), { click: openToken });
  attributes($("token-form"), { submit: (event) => { event.preventDefault(); keep($("token").value.trim()); } });
  attributes($("token-forget"), { click: () => keep("") });
  for (const button of document.querySelectorAll("dialog .close")) attributes(button, { click: () => button.closest("dialog").close() });
}
