// The last minutes, from counts since the start.
const SECONDS = 300;
const MINUTE = 60;
/** The time that a point of the latency chart sums up, in seconds. */
const STEP = 10;
/** After this time without a reading, in seconds, the page requests those that the edge kept. */
const GAP = 12;
const SOURCES = ["backend", "cache", "edge", "client"];
const STATUSES = ["fine", "faulty", "failed"];
const readings = [];

/** Adds one reading; a restarted edge counts from zero, so its first reading is compared with none. */
function remember(now) {
  const last = readings.at(-1);
  if (last && last.started !== now.started) readings.length = 0;
  readings.push(now);
  while (readings.length && readings[0].at < now.at - (SECONDS + STEP + 5) * 1000) readings.shift();
  [now.p50, now.p99] = [quantile(now, STEP, .5), quantile(now, STEP, .99)];
}

/** Adds the edge's readings of the time before a reading, where this page did not look. */
async function recall(now) {
  const last = readings.at(-1);
  const isKnown = last && last.started === now.started;
  if (isKnown && now.at - last.at < GAP * 1000) return;
  const answer = await ask("/readings");
  if (!answer.ok || epoch(answer.body.started) !== now.started) return;
  for (const one of answer.body.readings) {
    const past = counts(one, now.started);
    if (past.at < now.at && !(isKnown && past.at <= last.at)) remember(past);
  }
}

/** The time between a reading and another one so long before it, in seconds. */
const apart = (now, seconds) => (now.at - before(now, seconds).at) / 1000;

/** How much a count has grown. */
const grown = (now, seconds, count) => Math.max(0, count(now) - count(before(now, seconds)));

/** The newest reading at least this many seconds before another one. */
function before(now, seconds) {
  for (let index = readings.length - 1; index >= 0; index--) if (readings[index].at <= now.at - seconds * 1000 + 400) return readings[index];
  return readings[0];
}

function rate(now, seconds, count) {
  const time = apart(now, seconds);
  return time > 0 ? grown(now, seconds, count) / time : null;
}

/** The bucket that holds a quantile of the requests of some seconds: its bounds in seconds, and the place of the quantile between them; null without requests. */
function bucket(now, seconds, part) {
  const past = before(now, seconds);
  const counts = now.latency.counts.map((count, index) => count - past.latency.counts[index]);
  const all = now.latency.count - past.latency.count;
  if (all <= 0) return null;
  const wanted = all * part;
  const index = counts.findIndex((count) => count >= wanted);
  const last = now.latency.bounds.at(-1);
  if (index < 0) return { low: last, high: last, place: 0 };
  const below = index ? counts[index - 1] : 0;
  return { low: index ? now.latency.bounds[index - 1] : 0, high: now.latency.bounds[index], place: (wanted - below) / (counts[index] - below || 1) };
}

/** A quantile of the requests of some seconds, in seconds: linear within its bucket; null without requests. */
function quantile(now, seconds, part) {
  const found = bucket(now, seconds, part);
  return found && found.low + (found.high - found.low) * found.place;
}

/** One point a second for the charts, the oldest first; `null` where nothing was read. */
function points() {
  const last = readings.at(-1);
  const line = Array(SECONDS).fill(null);
  for (let index = 1; index < readings.length; index++) {
    const [past, now] = [readings[index - 1], readings[index]];
    const time = (now.at - past.at) / 1000;
    if (time > GAP) continue;
    const point = { at: now.clock, p50: now.p50, p99: now.p99 };
    for (const source of SOURCES) point[source] = Math.max(0, now.sources[source] - past.sources[source]) / time;
    for (const status of STATUSES) point[status] = Math.max(0, now.statuses[status] - past.statuses[status]) / time;
    point.all = SOURCES.reduce((sum, source) => sum + point[source], 0);
    // A reading stands for the time since the one before it.
    const [start, end] = [past, now].map((one) => SECONDS - 1 - Math.round((last.at - one.at) / 1000));
    for (let place = Math.max(0, start + 1); place <= end; place++) line[place] = point;
  }
  return line;
}

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, notation: "compact" });

const perSecond = (value) => value === null ? "–" : value === 0 ? "0" : value < 10 ? value.toFixed(1) : short.format(value);
const percent = (part, whole) => whole ? `${(100 * part / whole).toFixed(part === whole || part * 1000 < whole ? 0 : 1)} %` : "–";

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < .9995) return `${Number((seconds * 1000).toPrecision(seconds < .0001 ? 1 : 2))} ms`;
  if (seconds < 60) return `${Number(seconds.toPrecision(2))} s`;
  return span(seconds);
}

/** A longer time in its two largest units. */
function span(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]].map(([size, unit]) => {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    return count ? `${count} ${unit}` : null;
  });
  return parts.filter(Boolean).slice(0, 2).join(" ") || "0 s";
}

function bytes(count) {
  const unit = ["B", "KiB", "MiB", "GiB"];
  let size = 0;
  for (; count >= 1024 && size < 3; size++) count /= 1024;
  return `${count < 10 && size ? count.toFixed(1) : Math.round(count)} ${unit[size]}`;
}

const time = (text) => new Date(text).toLocaleTimeString("en-GB");
function moment(text) {
  const date = new Date(text);
  return date.toDateString() === new Date().toDateString() ? time(date) : `${date.toLocaleDateString("en-CA")} ${time(date)}`;
}

const epoch = (text) => text ? Date.parse(text) / 1000 : null;

const sum = (all) => Object.values(all).reduce((sum, count) => sum + count, 0);

/** The counts of `/status` and of the documents of `/readings`. */
function counts({ uptime_seconds: uptime, now, requests, latency, refusals, findings, operations, backends }, started) {
  const { "4xx": faulty = 0, "5xx": failed = 0, ...fine } = requests.by_status;
  return {
    at: uptime * 1000, clock: Date.parse(now), started, uptime,
    requests: requests.total,
    running: requests.running,
    sources: { backend: 0, cache: 0, edge: 0, client: 0, ...requests.by_source },
    statuses: { fine: sum(fine), faulty, failed },
    refused: sum(refusals),
    found: findings.reduce((all, one) => all + one.count, 0),
    latency: { bounds: latency.bounds_seconds, counts: latency.total.up_to, count: latency.total.count },
    phases: latency,
    operations: Object.fromEntries(operations.map((one) => [one.name, one])),
    backends,
  };
}

/** The page's view of `/status`: the document, with its counts as above. */
const reading = (status) => ({ ...status, ...counts(status, epoch(status.started)), ready: !status.draining });
