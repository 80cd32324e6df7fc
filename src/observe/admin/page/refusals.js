// Refusals: how many by rule, the last ones, and one explained.

const SHOWN = matchMedia("(max-width: 44rem)").matches ? 6 : 12;

function findings(answer) {
  const part = $("findings-part");
  if (!answer.ok) return show(part, `${answer.status}`, () => refused(answer));
  const rows = rowsOf(part, "By rule", ["Rule", "Operation", "Result", ["Times", "n"], "The site", ["Last", "t"], ["Sample", "w"]], "No rule was broken.");
  $("export").onclick = () => download("findings.json", answer.body);
  fill(rows, answer.body.findings.slice(0, 20), (one) => JSON.stringify([one.operation, one.parameter, one.rule, one.action]), (one) => [
    { text: `${one.parameter ? `${one.parameter}: ` : ""}${one.rule.replaceAll("_", " ")}`, note: one.meaning }, one.operation, { text: one.action, tone: one.action === "refused" ? null : "warn" },
    number.format(one.count), made_of(one.site, one.rule !== "undeclared"), moment(one.last), one.sample ? { text: "explain", link: `#refusal/${one.sample}` } : "–",
  ]);
}

/** The safety of enforce, by the site's responses since the start. */
function reported({ accepted, refused, failed }) {
  const line = $("reported");
  line.hidden = accepted + refused + failed === 0;
  say(line, `Since the start, enforce would have refused ${number.format(accepted + refused + failed)} forwarded requests: the site accepted ${number.format(accepted)} of them, refused ${number.format(refused)} itself, and failed at ${number.format(failed)}. ${accepted ? "Look at those that it accepted before you enforce." : "So far enforce would take nothing from clients."}`);
}

/** The site's responses to forwarded requests: where enforce refuses, it would take a success from clients. */
function made_of(site, isRefused) {
  if (!site) return "got no request";
  const kinds = site.refusals.map((one) => `${one.status}${one.code ? ` ${one.code}` : ""}`).join(", ");
  const parts = [[site.accepted, "accepted"], [site.refused, kinds ? `refused (${kinds})` : "refused"], [site.failed, "failed"]].filter(([count]) => count > 0);
  return { text: parts.map(([count, name]) => `${number.format(count)} ${name}`).join(", ") || "has not responded yet", tone: site.accepted > 0 && isRefused ? "warn" : null };
}

function download(name, document_) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(document_, null, 2)], { type: "application/json" }));
  h("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

function refusals(answer) {
  const part = $("refusals-part");
  if (!answer.ok) return show(part, `${answer.status}`, () => refused(answer));
  const rows = rowsOf(part, "The last refusals", [["Time", "t"], "Refused with", "Request", ["Client", "w"], "Reason"], "Nothing was refused.", h("p", { class: "small soft" }));
  const list = answer.body.refusals;
  fill(rows, list.slice(0, SHOWN), (one) => one.id, (one) => [
    moment(one.time), `${one.status} ${one.code}`, { text: `${one.method} ${one.path}`, tone: "mono" }, one.client ?? "–",
    { text: one.parameters.length ? `explain ${[...new Set(one.parameters)].join(", ")}` : "explain", link: `#refusal/${one.id}` },
  ]);
  say(part.querySelector("p"), list.length > SHOWN ? `${SHOWN} of ${number.format(list.length)} kept refusals.` : "");
  insisted(list);
}

/** The requests that rules and presets for the rest of the site took, and their outcomes. */
function surface({ surface: rules }) {
  const part = $("surface-part");
  part.hidden = !rules.length;
  const rows = rowsOf(part, "Rules for the rest of the site, since the start", ["Rule", ["Refused", "n"], ["Limited", "n"], ["Would refuse", "n"], ["Passed", "n"]], "");
  fill(rows, rules, (one) => one.rule, (one) => [one.rule, ...[one.refused, one.limited, one.reported, one.passed].map(number.format)]);
}

/** In mode report: the requests that were refused all the same, and the reasons. */
function insisted(list) {
  const all = list.filter((one) => one.mode !== "enforce" && one.refused_in_every_mode_because);
  const reasons = Map.groupBy(all, (one) => one.refused_in_every_mode_because);
  show($("insists"), JSON.stringify([...reasons].map(([reason, [one, ...more]]) => [reason, one.id, more.length])), () => reasons.size
    ? [h("h3", {}, "Refused in every mode"), h("ul", { class: "small listed" }, ...[...reasons].map(([reason, ones]) => h("li", {}, `${number.format(ones.length)} × ${ones[0].code}: ${reason}. `, h("a", { href: `#refusal/${ones[0].id}`, "aria-label": `Explain one: ${reason}` }, "Explain one"))))]
    : null);
}

/** Shows the refusal or the section of the runbook that the address names. */
async function explain() {
  const [, kind, id] = /^#(refusal|runbook)\/(.+)$/.exec(location.hash) ?? [];
  const dialog = $("explained");
  if (!id) return dialog.open && dialog.close();
  say($("explained-title"), kind === "refusal" ? "Refusal" : "Runbook");
  $("explained-part").replaceChildren(h("p", { class: "soft" }, "Asking the edge."));
  if (!dialog.open) dialog.showModal();
  if (kind === "runbook") return runbook(id);
  const answer = await ask(`/refusals/${encodeURIComponent(decodeURIComponent(id))}`);
  if (answer.ok) say($("explained-title"), answer.body.action === "forwarded" ? `Forwarded: ${answer.body.code}` : `${answer.body.status} ${answer.body.code}`);
  $("explained-part").replaceChildren(...filtered(answer.ok ? explanation(answer.body) : [answer.status === 404 ? h("p", {}, "This request is no longer kept, or it broke no rule.") : refused(answer)]));
}

function explanation(one) {
  const request = one.request;
  const found = (list) => h("ul", {}, ...list.map((finding) => h("li", {}, finding.parameter ? [h("code", {}, finding.parameter), " breaks "] : "Breaks ", h("b", {}, finding.rule.replaceAll("_", " ")), ` (${finding.code})`, finding.meaning ? [h("br", {}), ...rich(finding.meaning)] : null)));
  return [
    h("p", { class: "soft small" }, `${one.method} ${one.path}`),
    h("p", { class: "soft small" }, `${moment(one.time)}, ${one.operation}, mode ${one.mode}${one.client ? `, from ${one.client}` : ""}`),
    one.findings.length ? [h("h3", {}, "Why"), found(one.findings)] : null,
    one.site ? [h("h3", {}, "The site"), h("p", {}, `${{ accepted: "It responded", refused: "It refused the request", failed: "It failed" }[one.site.outcome]} with ${one.site.status}${one.site.code ? ` ${one.site.code}` : ""}.`)] : null,
    one.meaning ? [h("h3", {}, "Meaning"), h("p", {}, ...rich(one.meaning))] : null,
    one.refused_in_every_mode_because ? h("p", {}, `Refused in every mode: ${one.refused_in_every_mode_because}.`) : null,
    one.remedy ? [h("h3", {}, "What to do"), h("p", {}, ...rich(one.remedy))] : null,
    request ? [h("h3", {}, "The request"), h("pre", {}, [`${one.method} ${request.target}`, ...request.headers.map(([name, value]) => `${name}: ${value}`)].join("\n"), request.body.kept ? `\n\n${request.body.kept}` : ""),
      h("p", { class: "soft small" }, [request.body.left_out ? `The body is left out: ${request.body.left_out}.` : null, request.redacted.length ? `Replaced: ${request.redacted.join(", ")}.` : null].filter(Boolean).join(" "))] : null,
    h("h3", {}, "In a terminal"), h("pre", {}, `calendar-edge explain ${one.id} --admin ${location.origin}`),
  ].flat(3);
}
