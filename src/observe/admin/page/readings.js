// What the last minutes were, from counts since the start.
const SECONDS = 300;
const WINDOW = 10;
const SOURCES = ["backend", "cache", "edge"];
const readings = [];

/** Adds one reading; a restarted edge counts from zero, so its first reading is compared with none. */
function remember(now) {
  const last = readings.at(-1);
  if (last && last.started !== now.started) readings.length = 0;
  readings.push(now);
  while (readings.length && readings[0].at < now.at - (SECONDS + WINDOW + 5) * 1000) readings.shift();
}

/** The newest reading at least this many seconds before another one. */
function before(now, seconds) {
  for (let index = readings.length - 1; index >= 0; index--) if (readings[index].at <= now.at - seconds * 1000 + 400) return readings[index];
  return readings[0];
}

function rate(now, seconds, count) {
  const past = before(now, seconds);
  const time = (now.at - past.at) / 1000;
  return time > 0 ? Math.max(0, count(now) - count(past)) / time : null;
}

/** A quantile of the requests of some seconds, in seconds: linear within its bucket; null without requests. */
function quantile(now, seconds, part) {
  const past = before(now, seconds);
  const counts = now.latency.counts.map((count, index) => count - past.latency.counts[index]);
  const all = now.latency.count - past.latency.count;
  if (all <= 0) return null;
  const wanted = all * part;
  const index = counts.findIndex((count) => count >= wanted);
  if (index < 0) return now.latency.bounds.at(-1);
  const low = index ? now.latency.bounds[index - 1] : 0;
  const below = index ? counts[index - 1] : 0;
  return low + (now.latency.bounds[index] - low) * ((wanted - below) / (counts[index] - below || 1));
}

/** One point a second for the charts, the oldest first; `null` where nothing was read. */
function points() {
  const last = readings.at(-1);
  const line = Array(SECONDS).fill(null);
  for (let index = 1; index < readings.length; index++) {
    const [past, now] = [readings[index - 1], readings[index]];
    const time = (now.at - past.at) / 1000;
    if (time > 12) continue;
    const point = { at: now.clock, p50: now.p50, p99: now.p99 };
    for (const source of SOURCES) point[source] = Math.max(0, now.sources[source] - past.sources[source]) / time;
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

/** What the page needs of `/status`. */
function reading(status) {
  const { requests, latency, configuration } = status;
  const sum = (counts) => Object.values(counts).reduce((all, count) => all + count, 0);
  return {
    at: status.uptime_seconds * 1000,
    clock: Date.parse(status.now),
    started: epoch(status.started),
    uptime: status.uptime_seconds,
    version: status.version,
    mode: status.mode,
    modes: status.modes,
    ready: !status.draining,
    requests: requests.total,
    running: requests.running,
    sources: { backend: 0, cache: 0, edge: 0, ...requests.by_source },
    failed: requests.by_status["5xx"] ?? 0,
    refused: sum(status.refusals),
    found: status.findings.reduce((all, one) => all + one.count, 0),
    reported: status.reported,
    latency: { bounds: latency.bounds_seconds, counts: latency.total.up_to, count: latency.total.count },
    phases: latency,
    cache: { enabled: status.cache.enabled, companion: status.cache.companion },
    backends: status.backends,
    cutover: status.cutover,
    shadow: status.shadow,
    certificate: status.certificate,
    connections: status.connections,
    memory: status.memory,
    configuration,
    listeners: status.listeners,
    operations: status.operations,
    status,
  };
}
