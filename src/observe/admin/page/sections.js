// What the page's parts show.

/** Fewer requests tell nothing about slow ones. */
const LEAST = 5;

/** The figures: saved and refused since the start. */
function headline(now) {
  const { level, text } = concerns(now).find((one) => one.level !== "note") ?? {};
  say($("fine"), { bad: "No", warn: "Look below" }[level] ?? "Yes");
  $("fine").className = level ?? "good";
  say($("fine-note"), text ?? "nothing needs attention");
  const { sum_seconds: total, count } = now.phases.backend;
  const saved = now.sources.cache + (now.calendar_pages.requests.answered ?? 0);
  say($("saved"), number.format(saved));
  say($("saved-note"), count ? `${duration(saved * total / count)} of its work, at ${duration(total / count)} a run` : "no run was timed");
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

/** What an operator should look at: level, text, where it is shown, and its section of the runbook. */
function concerns(now) {
  const found = [];
  const add = (level, text, link, alert) => found.push({ level, text, link, alert });
  if (!now.ready) add("warn", "The edge is draining: it takes no new connections.");
  if (now.configuration.last_reload_refused) add("bad", "The last reload was refused, and changed nothing. See the log.", "#configuration", "ReloadRefused");
  for (const one of now.backends) {
    const trial = one.breaker === "half-open";
    if (trial || one.breaker === "open") add(trial ? "warn" : "bad", `The breaker of ${one.name} is ${one.breaker}: ${trial ? "one read is trying it" : "no read reaches it"}.`, "#backends", "BreakerOpen");
    for (const [name, traffic] of Object.entries(one.traffic)) if (traffic.places && traffic.waiting * 2 > traffic.places) add("warn", `${traffic.waiting} of at most ${traffic.places} requests (${name}) wait for ${one.name}.`, "#backends", "PermitsUsedUp");
  }
  for (const { path, contract: { differences } } of now.roots) if (differences.length) add("note", `The site behind ${path} publishes other arguments than the table: ${differences.length}.`, "#backends");
  for (const rule of now.cutover) if (rule.returned) add("bad", `The guard has returned the calls of rule ${rule.name} to the site: ${rule.returned.reason}.`, "#migration");
  if (now.fleet && !now.fleet.together) add("warn", `The fleet's store fails: ${now.fleet.fault}.`, "", "Alone");
  if (now.certificate) {
    const days = Math.floor((Date.parse(now.certificate.expires) - now.clock) / 86400000);
    if (days < 21) add(days < 7 ? "bad" : "warn", `The certificate ${days < 0 ? "has expired" : `expires in ${days} days`}.`, "#process", "CertificateExpires");
  }
  if (now.cache.companion.is_missed || (now.cache.enabled && now.cache.companion.state === "silent")) add("warn", "The companion plugin is silent: changes may reach the cache late.", "#cache", "CompanionSilent");
  if (now.calendar_pages.check.example) add("bad", "A calendar page taken for empty has an event.", "#pages", "PagesFailed");
  overload(now, add);
  if (now.connections.open * 10 > now.connections.limit * 9) add("warn", `${now.connections.open} of at most ${now.connections.limit} connections are open.`, "#process", "ConnectionsUsedUp");
  if (now.mode === "report") add("note", "Mode report: calls that break a rule are counted and forwarded. Refusals has the others.", "#refusals");
  if (now.mode === "off") add("note", "Mode off: no call is judged.", "#routes");
  const order = ["bad", "warn", "note"];
  return found.sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
}

/** Failures, slow answers, refusals for load, and memory. */
function overload(now, add) {
  const lately = (count) => grown(now, MINUTE, count);
  const all = lately((one) => one.requests);
  const time = span(apart(now, MINUTE));
  const failed = lately((one) => one.statuses.failed);
  if (failed > 0 && failed * 20 >= all) add("bad", `${percent(failed, all)} of the ${number.format(all)} requests of the last ${time} ended with a 5xx status.`, "#statuses", "Errors");
  const slow = bucket(now, MINUTE, .99);
  if (all >= LEAST && slow?.low >= 1) add(slow.low >= 2.5 ? "bad" : "warn", `One of 100 requests of the last ${time} took longer than ${duration(slow.low)} (p99 of ${number.format(all)} requests). On average: ${spent(now).join(", ")}.`, "#latency", "Slow");
  for (const { name } of now.backends) {
    const [window, level] = lately((one) => one.shed[name] ?? 0) ? [MINUTE, "bad"] : [SECONDS, "warn"];
    const shed = grown(now, window, (one) => one.shed[name] ?? 0);
    if (shed) add(level, `${number.format(shed)} requests of the last ${span(apart(now, window))} got no permit of ${name} in time.`, "#backends", "Shedding");
  }
  const overloaded = lately((one) => one.overloaded);
  if (overloaded) add("bad", `${number.format(overloaded)} of the ${number.format(all)} requests of the last ${time} were refused for load (503 edge_overloaded).`, "#refusals", "Shedding");
  for (const [name, { used_bytes: used, limit_bytes: limit }] of Object.entries(now.memory)) {
    if (!limit || used * 10 < limit * 8) continue;
    const [what, alert] = name === "process" ? ["The process takes", "Down"] : [`Bodies of ${name} take`, "BuffersUsedUp"];
    add(used * 20 > limit * 19 ? "bad" : "warn", `${what} ${percent(used, limit)} of the memory for it: ${bytes(used)} of ${bytes(limit)}.`, "#process", alert);
  }
}

function attention(now) {
  const found = concerns(now);
  const names = { bad: "Urgent", warn: "Check", note: "Note" };
  show($("attention-list"), JSON.stringify(found), () => found.length
    ? found.map(({ level, text, link, alert }) => h("li", {}, h("b", { class: level }, names[level]), h("span", {}, text,
      [[link, "Show"], [alert && `#runbook/CalendarEdge${alert}`, "What to do"]].map(([href, name]) => href && [" ", h("a", { href, "aria-label": `${name}: ${text}` }, name)]))))
    : h("li", { class: "soft" }, "Nothing."));
  // Spoken when a concern comes or goes, not when a number in it changes.
  const set = found.map(({ text }) => text.replace(/[\d.]+/g, "")).join();
  if (attention.set !== undefined && attention.set !== set) say($("spoken"), found.map(({ text }) => text).join(" ") || "Nothing needs attention.");
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

/** What the site publishes, compared with the table. */
function contract(part, roots) {
  show(part, JSON.stringify(roots), () => [h("h3", {}, "Contract"), ...roots.map(({ path, contract: { read, version, differences } }) => {
    if (!read) return h("p", { class: "small" }, `The index behind ${path} was not read: arguments that not all versions of the plugin have are left to the site.`);
    if (!differences.length) return h("p", { class: "small" }, `The index behind ${path} agrees with the table (version ${version}).`);
    return h("div", { class: "small" }, h("p", {}, `The index behind ${path} (version ${version}) differs from the table. Neither is judged: − not at the site, + only there.`),
      h("ul", { class: "listed" }, ...differences.map((one) => h("li", {}, h("code", {}, one)))));
  })]);
}

function cache(now, answer) {
  const part = $("cache-part");
  if (!answer.ok) return show(part, `${answer.status}`, () => refused(answer));
  const kept = answer.body;
  if (!kept.enabled) return show(part, "off", () => h("p", { class: "soft" }, "The cache is off."));
  show(part, "on", () => {
    const [box, body] = table("Reads by operation since the start", ["Operation", ["Reads", "n"], ["Hits", "n"], ["Hit ratio", "n"], ["Passed by", "n w"]], "Nothing was read yet.");
    part.rows = body;
    return [h("dl", { class: "pairs" }), box];
  });
  pairs(part.querySelector("dl"), [
    ["Kept", `${number.format(kept.entries)} answers${kept.oldest ? `, the oldest for ${span(kept.oldest)}` : ""}`],
    ["Memory", { value: kept.bytes, of: kept.memory, text: `${bytes(kept.bytes)} of ${bytes(kept.memory)}`, label: "Memory of kept answers" }],
    ["Companion", { text: { unseen: "never heard of", alive: "alive", silent: "silent" }[kept.companion] ?? kept.companion, tone: { alive: "good", silent: "warn" }[kept.companion] }],
  ]);
  fill(part.rows, kept.operations, (one) => one.operation, (one) => [one.operation, number.format(one.lookups), number.format(one.hits), percent(one.hits, one.lookups), number.format(one.bypassed)]);
}

/** Calendar pages: those kept from WordPress, why it gets the others, and what the check found. */
function calendarPages(now) {
  const { calendar_pages: { requests, check, hindrance }, calendar_pages_mode: mode } = now;
  const { answered, would_answer, limited, would_limit, ...forwarded } = requests;
  const count = (real, more) => number.format(real ?? 0) + (more ? `, ${number.format(more)} would be` : "");
  pairs($("pages-part"), [
    ["Mode", mode],
    ["Answered", count(answered, would_answer)],
    ["Refused", count(limited, would_limit)],
    ["Forwarded", Object.entries(forwarded).map(([name, times]) => `${name.replaceAll("_", " ")} ${times}`).join(", ")],
    ["Check", check.example ? { text: `an event at ${check.example}`, tone: "bad" } : `${check.agreed} agreed`],
    ["In the way", mode === "off" ? null : hindrance],
  ]);
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

/** The keys that are set; the others have their defaults. */
function keys(answer) {
  show($("keys-part"), JSON.stringify(answer.body), () => {
    if (!answer.ok) return refused(answer);
    const [box, body] = table("The keys that are set", ["Key", "Value", "Set in"], "No key is set: everything has its default.");
    const set = answer.body.keys.filter((one) => one.source !== "default");
    fill(body, set, (one) => one.key, ({ key, value, source, at }) => [
      { text: key, tone: "mono" }, { text: JSON.stringify(value), tone: "mono" }, source === "file" ? at : `${source} ${at}`,
    ]);
    return box;
  });
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
