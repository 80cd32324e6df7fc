// The content of the page's parts.

/** The classes of levels. */
const TONES = { failure: "bad", warning: "warn", unknown: "warn", fine: "good", note: null };

/** The figures: saved and refused since the start. */
function headline(now) {
  const [{ level, sentence }] = now.concerns;
  say($("fine"), now.fine);
  $("fine").className = TONES[level] ?? "good";
  say($("fine-note"), sentence);
  const { sum_seconds: total, count } = now.phases.backend;
  say($("saved"), number.format(now.runs_saved));
  say($("saved-note"), `answered without one, less refreshes behind stale answers${count && now.runs_saved > 0 ? `: ${duration(now.runs_saved * total / count)} of its work, at ${duration(total / count)} a run` : ""}`);
  const would = sum(now.reported) + now.surface.reduce((all, one) => all + one.reported, 0);
  say($("refused"), number.format(now.refused));
  say($("refused-note"), `${number.format(would)} more would be, in mode enforce`);
  say($("now-rate"), perSecond(rate(now, MINUTE, (one) => one.requests)));
  say($("now-sum"), `${number.format(grown(now, MINUTE, (one) => one.requests))} requests`);
  say($("now-p99"), duration(quantile(now, MINUTE, .99)));
  say($("state"), `${now.ready ? "ready" : "draining"}, mode ${now.mode}${now.fleet ? `, fleet of ${now.fleet.members.length}` : ""}`);
  $("state").className = now.ready ? "good" : "warn";
  say($("build"), `calendar-edge ${now.version}, started ${moment(now.started * 1000)}. `);
}

function attention(now) {
  const found = now.concerns.filter(({ level }) => level !== "fine");
  const names = { failure: "Urgent", warning: "Check", unknown: "Unknown", note: "Note" };
  show($("attention-list"), JSON.stringify(found), () => found.length
    ? found.map(({ level, sentence, part, alert }) => h("li", {}, h("b", { class: TONES[level] }, names[level]), h("span", {}, sentence,
      [[part && `#${part}`, "Show"], [alert && `#runbook/CalendarEdge${alert}`, "What to do"]].map(([href, name]) => href && [" ", h("a", { href, "aria-label": `${name}: ${sentence}` }, name)]))))
    : h("li", { class: "soft" }, "Nothing."));
  // Spoken when a concern comes or goes, not when a number in it changes.
  const set = found.map(({ name, about }) => `${name} ${about}`).join();
  if (attention.set !== undefined && attention.set !== set) say($("spoken"), found.map(({ sentence }) => sentence).join(" ") || "Nothing needs attention.");
  attention.set = set;
}

function backends(now) {
  const part = $("backends-part");
  show(part, "table", () => {
    const [box, body] = table("Permits in use, requests that wait, and those that got no permit since the start", ["Backend", "Breaker", "Calls", ["Site", "w"], ["Uploads", "w"], ["Waiting", "n"], ["No permit", "n"], ["Last answer", "w"], "Last failure"], "");
    [part.rows, part.contract] = [body, h("div")];
    return [box, part.contract];
  });
  const all = (one, name) => Object.values(one.traffic).reduce((all, traffic) => all + traffic[name], 0);
  const permits = (one, name) => {
    const traffic = one.traffic[name];
    return traffic?.permits ? { value: traffic.in_use, of: traffic.permits, text: `${traffic.in_use} of ${traffic.permits}`, label: `${name}, permits in use` } : "–";
  };
  fill(part.rows, now.backends, (one) => one.name, (one) => [
    one.name, { text: one.breaker, tone: { closed: "good", open: "bad" }[one.breaker] ?? "warn" }, permits(one, "calls"), permits(one, "site"), permits(one, "uploads"),
    number.format(all(one, "waiting")), number.format(all(one, "shed")), one.last_answer ? moment(one.last_answer) : "–", one.last_failure ? moment(one.last_failure) : "none",
  ]);
  contract(part.contract, now.roots);
}

/** The site's index, compared with the table. */
function contract(part, roots) {
  show(part, JSON.stringify(roots), () => [h("h3", {}, "Contract"), ...roots.map(({ path, contract: { read, version, differences } }) => {
    if (!read) return h("p", { class: "small" }, `The index behind ${path} was not read: arguments that not all versions of the plugin have are left to the site.`);
    if (!differences.length) return h("p", { class: "small" }, `The index behind ${path} agrees with the table (version ${version}).`);
    return h("div", { class: "small" }, h("p", {}, `The index behind ${path} (version ${version}) differs from the table. Neither is judged: − not at the site, + only there.`),
      h("ul", { class: "listed" }, ...differences.map((one) => h("li", {}, h("code", {}, one)))));
  })]);
}

/** Operations as `{name, methods, path}`, from the OpenAPI document. */
function operations(document_) {
  const found = new Map();
  for (const [path, item] of Object.entries(document_.paths)) for (const [method, one] of Object.entries(item)) {
    const name = one["x-operation"];
    if (!name) continue;
    if (!found.has(name)) found.set(name, { name, methods: [], path });
    found.get(name).methods.push(method.toUpperCase());
  }
  return [...found.values()];
}

function routes(now, list) {
  const rows = rowsOf($("routes-part"), "Operations since the start", ["Operation", "Path", "Mode", ["Requests", "n"], ["Refused", "n"]], "None yet: the filter finds all.");
  const wanted = $("routes-filter").value.trim().toLowerCase();
  const shown = list.map((one) => ({ ...one, mode: now.modes[one.name] ?? now.mode, requests: 0, refused: 0, ...now.operations[one.name] }));
  fill(rows, shown.filter((one) => wanted ? `${one.name} ${one.methods} ${one.path} ${one.mode}`.toLowerCase().includes(wanted) : one.requests || one.name in now.modes), (one) => one.name, (one) => [
    one.name, { text: one.path, tone: "mono" }, { text: one.mode, tone: one.mode === "enforce" ? null : "warn" },
    number.format(one.requests), number.format(one.refused),
  ]);
}

/** The operations with most requests of the last minutes. */
function busiest(now) {
  const part = $("operations-part");
  const rows = rowsOf(part, " ", ["Operation", ["Requests", "n"], ["Share", "n w"], ["Refused", "n"]], "No requests.");
  say(part.querySelector("caption"), `Operations of the last ${span(apart(now, SECONDS))}`);
  const past = before(now, SECONDS).operations;
  const called = Object.values(now.operations).map(({ name, requests, refused }) => ({ name, requests: requests - (past[name]?.requests ?? 0), refused: refused - (past[name]?.refused ?? 0) }));
  const ones = called.filter((one) => one.requests > 0).sort((one, other) => other.requests - one.requests);
  const all = ones.reduce((sum, one) => sum + one.requests, 0);
  fill(rows, ones.slice(0, 6), (one) => one.name, (one) => [one.name, number.format(one.requests), percent(one.requests, all), number.format(one.refused)]);
}

function configuration(now) {
  const { configuration: { file, loaded, reloads }, profile, other, site, namespaces, roots, modes } = now;
  const own = Object.entries(modes).map(([name, mode]) => `${name} ${mode}`).join(", ");
  pairs($("configuration-part"), [
    ["File", `${file ?? "none"}, read ${moment(loaded)}`],
    ["Reloads", `${reloads.success} succeeded, ${reloads.failure} failed`],
    ["Mode", own ? `${now.mode}; ${own}` : now.mode],
    ["Profile", profile],
    ["Rest of the site", other === "forward" ? "forwarded" : "refused"],
    ["Site", site],
    ["Namespaces", namespaces.join(", ")],
    ...roots.map(({ path, language, site: origin }) => [`Root ${path}`, `${language ? `${language}, ` : ""}${origin}`]),
  ]);
}

function facts(now) {
  const { certificate, connections, memory } = now;
  pairs($("process-part"), [
    ["Version", now.version],
    ["Running for", span(now.uptime)],
    ["Listeners", now.listeners.join(", ")],
    ["Certificate", certificate ? `until ${certificate.expires.slice(0, 10)}` : "none: plain HTTP"],
    ["Requests", `${number.format(now.running)} running, ${number.format(now.requests)} answered since the start`],
    ["Connections", { value: connections.open, of: connections.limit, text: `${number.format(connections.open)} of ${number.format(connections.limit)}`, label: "Open connections" }],
    ...Object.entries(memory).map(([name, { used_bytes: used, limit_bytes: limit }]) => {
      const label = name === "process" ? "Memory" : `Bodies of ${name}`;
      if (used === null) return [label, null];
      return [label, limit ? { value: used, of: limit, text: `${bytes(used)} of ${bytes(limit)}`, label } : bytes(used)];
    }),
  ]);
}
