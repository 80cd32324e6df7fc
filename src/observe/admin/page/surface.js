// The routes of the site, and how they were called, from the report of this edge.
const HEADINGS = ["Route", "Methods", "Open to", "With credentials", "Without"];
let groups = [];

async function load() {
  const answer = await ask("/surface", 15000);
  $("about").replaceChildren();
  $("proposals").hidden = $("tools").hidden = !answer.ok;
  if (!answer.ok) {
    say($("title"), "The routes cannot be shown");
    $("namespaces").replaceChildren();
    $("about").append(refused(answer), answer.status ? "" : h("p", {}, h("button", { type: "button", click: load }, "Ask again")));
    return;
  }
  about(answer.body);
  propose(answer.body);
  list(answer.body);
  find();
}

function about(report) {
  say($("title"), report.site);
  const routes = report.namespaces.reduce((sum, { routes }) => sum + routes.length, 0);
  const named = report.namespaces.filter(({ namespace }) => namespace).length;
  const hours = Math.floor((report.observed?.seconds ?? 0) / 3600);
  $("about").append(
    h("p", {}, report.is_listed ? `${named} namespaces, ${routes} routes.` : "The site's list of routes is not known."),
    report.observed ? h("p", {}, `Calls are counted for ${Math.floor(hours / 24)} days ${hours % 24} hours, at most for seven days. Pages and calls of the calendar are not among them.`) : "");
}

function propose({ hints, toml, companion }) {
  $("hints").replaceChildren(...hints.map((hint) => h("li", {}, ...rich(hint))), toml ? h("li", {}, "These lines of the configuration only report until ", h("code", {}, "mode"), " is ", h("code", {}, "enforce"), ".") : "");
  say($("toml"), companion ? `${toml}\n# wp-config.php, once these rules are enforced:\n# define( 'CALENDAR_EDGE_SURFACE', '${companion}' );\n` : toml);
  $("toml").hidden = !toml;
  $("proposals").hidden = !hints.length && !toml;
}

function list(report) {
  const scripts = report.scripts.map(({ script, calls }) => row(script, [], "", calls));
  if (sum(report.others)) scripts.push(row("names that are not there, and calls that cannot be read surely", [], "", report.others));
  groups = report.namespaces.map(namespace);
  if (scripts.length) groups.push(group("Scripts and others", `${scripts.length} rows`, scripts));
  $("namespaces").replaceChildren(...groups.map(({ element }) => element));
}

function namespace({ namespace, is_judged: isJudged, routes, unlisted }) {
  const rows = routes.map(({ route, methods, open_methods: open, calls }) => row(route || "/", methods, callers(methods, open), calls));
  if (sum(unlisted)) rows.push(row("routes that the site does not list", [], "", unlisted));
  const count = `${routes.length} ${routes.length === 1 ? "route" : "routes"}`;
  return group(namespace || "Index", isJudged ? `${count}, judged by the edge` : count, rows);
}

/** Who may call a route, by the methods that the site leaves open. */
function callers(methods, open) {
  if (!open) return "unknown";
  if (!open.length) return "whom the site lets";
  return open.length === methods.length ? "anybody" : `anybody: ${open.join(", ")}`;
}

/** A group of rows, of which those that the search finds are shown. */
function group(name, note, rows) {
  const called = rows.reduce((sum, { called }) => sum + called, 0);
  const text = called ? `${note}, ${called} calls` : note;
  const element = h("details", {}, h("summary", {}, h("span", { class: "name" }, name), h("span", { class: "soft" }, text)),
    h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": name }, h("table", {}, h("caption", { class: "unseen" }, name), h("thead", {}, h("tr", {}, ...HEADINGS.map((heading) => h("th", { scope: "col" }, heading)))), h("tbody", {}, ...rows.map(({ element }) => element)))));
  return { name: name.toLowerCase(), rows, element };
}

function row(name, methods, open, calls) {
  const element = h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, methods.join(", ")), h("td", {}, open), h("td", {}, told(calls.with)), h("td", {}, told(calls.without)));
  return { text: name.toLowerCase(), called: sum(calls), element };
}

const OUTCOMES = ["answered", "denied", "refused", "failed"];
const total = (caller, outcome) => caller.reads[outcome] + caller.writes[outcome];
const told = (caller) => OUTCOMES.map((outcome) => [total(caller, outcome), outcome]).filter(([count]) => count).map(([count, outcome]) => `${count} ${outcome}`).join(", ") || "0";
const sum = (calls) => [calls.with, calls.without].reduce((sum, caller) => OUTCOMES.reduce((sum, outcome) => sum + total(caller, outcome), sum), 0);

/** Shows the rows that hold every word. Groups with what is looked for are open. */
function find() {
  const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const isCalled = $("called").checked;
  let count = 0, all = 0;
  for (const { name, rows, element } of groups) {
    let shown = 0;
    for (const { text, called, element } of rows) {
      const is = words.every((word) => text.includes(word) || name.includes(word)) && (called > 0 || !isCalled);
      element.hidden = !is;
      shown += is;
    }
    element.hidden = !shown && (words.length > 0 || isCalled);
    if (words.length || isCalled) element.open = shown > 0;
    count += shown;
    all += rows.length;
  }
  say($("found"), `${count} of ${all} rows`);
}

attributes($("find"), { input: find });
attributes($("called"), { change: find });
token(load);
load();
