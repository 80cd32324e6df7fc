// Requests the state of the edge again and again, and shows it.
const EVERY = matchMedia("(prefers-reduced-motion: reduce)").matches ? 5000 : 1000;
const asked = { at: 0, refused: -1, loaded: null };
let list = [];
let latest = null;
let isPaused = false;
let silentSince = null;
let timer = null;

async function tick() {
  clearTimeout(timer);
  if (!isPaused && !document.hidden) await look();
  timer = setTimeout(tick, EVERY);
}

async function look() {
  const answer = await ask("/status");
  if (!answer.ok) return silent(answer);
  if (silentSince) say($("spoken"), "The edge answers again.");
  silentSince = null;
  $("notice").hidden = true;
  document.body.classList.remove("stale");
  const now = reading(answer.body);
  await recall(now);
  remember(now);
  latest = now;
  for (const part of [headline, attention, backends, calendarPages, configuration, facts]) part(now);
  routes(now, list);
  draw();
  if (now.clock - asked.at > 4500) await rarely(now);
}

/** Slow documents are requested every few seconds, and the rest when it has changed. */
async function rarely(now) {
  asked.at = now.clock;
  summaries(now);
  const loaded = `${now.started} ${now.configuration.loaded}`;
  if (asked.loaded !== loaded) {
    asked.loaded = loaded;
    const api = await ask("/openapi.json");
    if (api.ok) list = operations(api.body);
    routes(now, list);
  }
  const [kept, moved] = await Promise.all([ask("/cache"), ask("/migration")]);
  cache(now, kept);
  busiest(now);
  migration(now, moved);
  reported(now.reported);
  // Refusals for load, rates, routes and credentials break no rule of an argument.
  pairs($("codes-part"), Object.entries(now.refusals).map(([code, count]) => [code, number.format(count)]));
  surface(now);
  const broken = now.refused + now.found + Object.values(now.reported).reduce((all, one) => all + one, 0);
  if (asked.refused === broken) return;
  asked.refused = broken;
  const [sums, last] = await Promise.all([ask("/findings"), ask("/refusals")]);
  findings(sums);
  refusals(last);
}

function silent(answer) {
  const since = silentSince ??= new Date();
  document.body.classList.add("stale");
  $("state").className = "bad";
  say($("state"), isDenied(answer.status) ? "denied" : "no answer");
  show($("notice"), `${answer.status} ${since} ${answer.body?.message}`, () => isDenied(answer.status) ? refused(answer)
    : h("p", {}, h("b", {}, answer.status ? `The edge answered with status ${answer.status}. ` : "The edge does not answer. "), `Since ${time(since)}; this page asks again each ${EVERY === 1000 ? "second" : `${EVERY / 1000} seconds`}. The numbers below are the last ones.`));
  $("notice").hidden = false;
}

function again() {
  Object.assign(asked, { at: 0, refused: -1, loaded: null });
  tick();
}

charts();
token(again);
attributes($("pause"), { click: () => {
  isPaused = !isPaused;
  $("pause").setAttribute("aria-pressed", isPaused);
  if (!isPaused) again();
} });
attributes($("explained"), { close: () => { if (/^#(refusal|runbook)\//.test(location.hash)) history.replaceState(null, "", location.pathname); } });
attributes($("routes-filter"), { input: () => latest && routes(latest, list) });
addEventListener("hashchange", explain);
document.addEventListener("visibilitychange", () => { if (!document.hidden) tick(); });
explain();
tick();
