// Charts over the same five minutes, with one cursor for all.
const plots = [];
let cursor = null;

function s(name, values = {}, ...children) {
  const element = attributes(document.createElementNS("http://www.w3.org/2000/svg", name), values);
  element.append(...filtered(children));
  return element;
}

/** The next round number above a value. */
function round(value) {
  const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 1.5, 2, 3, 4, 6, 8, 10].find((step) => step * size >= value) * size;
}

/** Adds a chart to the element `id`; `draw(points, scale)` makes its marks, `describe(point)` returns the text of one point. */
function plot(id, chart) {
  const box = $(id);
  const one = { box, ...chart };
  attributes(box, {
    tabindex: 0, role: "slider", "aria-valuemin": -SECONDS + 1, "aria-valuemax": 0,
    pointermove: (event) => {
      const area = box.getBoundingClientRect();
      pick(Math.round((event.clientX - area.left) / area.width * (SECONDS - 1)));
    },
    pointerleave: () => pick(null),
    blur: () => pick(null),
    keydown: (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageUp: 30, PageDown: -30, Home: -SECONDS, End: SECONDS }[event.key];
      if (!step) return;
      event.preventDefault();
      pick((cursor ?? SECONDS - 1) + step);
    },
  });
  plots.push(one);
  new ResizeObserver(() => draw()).observe(box);
}

function pick(place) {
  cursor = place === null ? null : Math.min(SECONDS - 1, Math.max(0, place));
  draw();
}

function draw() {
  const line = points();
  for (const one of plots) {
    const { clientWidth: width, clientHeight: height } = one.box;
    if (!width) continue;
    const left = (place) => place / (SECONDS - 1) * width;
    const scale = one.scale(line, height - 18);
    const rules = scale.marks.map(([value, text]) => [
      s("line", { class: "rule", x1: 0, x2: width, y1: scale.top(value), y2: scale.top(value) }),
      s("text", { x: 0, y: scale.top(value) - 4 }, text),
    ]);
    const times = [[0, "start", "5 min ago"], [SECONDS - 1, "end", "now"]].map(([place, anchor, text]) => s("text", { x: left(place), y: height - 2, "text-anchor": anchor }, text));
    const mark = cursor === null ? null : s("line", { class: "cursor", x1: left(cursor), x2: left(cursor), y1: 0, y2: height - 18 });
    one.box.replaceChildren(s("svg", { "aria-hidden": "true", viewBox: `0 0 ${width} ${height}` }, one.draw(line, left, scale.top), rules, times, mark));
    const place = cursor ?? SECONDS - 1;
    const point = line[place] ?? (cursor === null ? line.findLast(Boolean) : null);
    one.legend(point);
    attributes(one.box, { "aria-valuenow": place - SECONDS + 1, "aria-valuetext": point ? `${time(point.at)}: ${one.describe(point)}` : "nothing was read then" });
  }
  $("moment").textContent = cursor === null ? "" : line[cursor] ? `at ${time(line[cursor].at)}` : "not read then";
}

/** The runs of neighbouring points that hold a value. */
function runs(line, value) {
  const found = [];
  line.forEach((point, place) => {
    if (!point || value(point) === null) return;
    const last = found.at(-1);
    if (last && last.at(-1) === place - 1) last.push(place);
    else found.push([place]);
  });
  return found;
}

const outline = (places) => places.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** A chart of rates that add up: one layer for each name. */
function stack(id, names, labels) {
  plot(`${id}-plot`, {
    scale: (line, height) => {
      const most = round(Math.max(2, ...line.map((point) => point?.all ?? 0)) * 1.08);
      return { marks: [0, most / 2, most].map((value) => [value, value ? perSecond(value) : ""]), top: (value) => height - value / most * (height - 14) };
    },
    draw: (line, left, top) => names.map((name, index) => {
      const below = (point) => names.slice(0, index).reduce((sum, lower) => sum + point[lower], 0);
      return runs(line, (point) => point.all).map((places) => s("path", {
        class: name,
        d: `${outline([...places.map((place) => [left(place), top(below(line[place]) + line[place][name])]), ...places.toReversed().map((place) => [left(place), top(below(line[place]))])])}Z`,
      }));
    }),
    legend: (point) => { for (const name of names) say($(`${id}-${name}`), point ? perSecond(point[name]) : "–"); },
    describe: (point) => `${perSecond(point.all)} requests a second; ${names.map((name, index) => `${labels[index]} ${perSecond(point[name])}`).join(", ")}`,
  });
}

function charts() {
  stack("rate", SOURCES, ["backend", "cache", "edge", "client left"]);
  stack("status", STATUSES, ["below 400", "4xx", "5xx"]);
  plot("latency-plot", {
    scale: (line, height) => {
      const seen = line.flatMap((point) => point ? [point.p50, point.p99] : []).filter((value) => value > 0);
      const low = Math.floor(Math.log10(Math.min(.001, ...seen)));
      const high = Math.max(low + 2, Math.ceil(Math.log10(Math.max(.1, ...seen))));
      const marks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
      return { marks: marks.map((value) => [value, duration(value)]), top: (value) => height - (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low) * (height - 14) };
    },
    draw: (line, left, top) => ["p50", "p99"].map((name) => runs(line, (point) => point[name]).map((places) => s("path", {
      class: name, d: outline((places.length > 1 ? places : [places[0] - 1, places[0]]).map((place) => [left(place), top((line[place] ?? line[places[0]])[name])])),
    }))),
    legend: (point) => { for (const name of ["p50", "p99"]) say($(`latency-${name}`), duration(point?.[name])); },
    describe: (point) => point.p50 === null ? "no requests" : `half within ${duration(point.p50)}, 99 of 100 within ${duration(point.p99)}`,
  });
}

/** Where the time of the last minute went on average, the longest first. */
function spent(now) {
  const past = before(now, MINUTE);
  const mean = (phase) => (now.phases[phase].sum_seconds - past.phases[phase].sum_seconds) / (now.phases[phase].count - past.phases[phase].count);
  const parts = ["queue", "backend", "edge"].map((phase) => [phase, mean(phase)]).filter(([, time]) => time >= 0);
  return parts.sort(([, one], [, other]) => other - one).map(([phase, time]) => `${phase} ${duration(time)}`);
}

/** The charts in one sentence each. */
function summaries(now) {
  const line = points().filter(Boolean);
  if (!line.length) return;
  const most = (name) => perSecond(Math.max(...line.map((point) => point[name])));
  const mean = rate(now, SECONDS, (one) => one.requests);
  const time = span(apart(now, SECONDS));
  say($("rate-sum"), `In the last ${time}: ${perSecond(mean)} requests a second on average, ${most("all")} at most.`);
  say($("status-sum"), `In the last ${time}: at most ${most("faulty")} a second with 4xx, ${most("failed")} with 5xx.`);
  const slow = line.filter((point) => point.p99 !== null).map((point) => point.p99);
  const parts = spent(now);
  const average = parts.length ? ` On average of the last ${span(apart(now, MINUTE))}: ${parts.join(", ")}.` : "";
  say($("latency-sum"), slow.length ? `99 of 100 requests within ${duration(Math.max(...slow))} in the worst ${STEP} s of the last ${time}.${average}` : "No requests were answered.");
}
