// Stored responses: their number and memory, the companion plugin, and reads by operation.

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
    ["Companion", { text: { unseen: "no message yet", alive: "alive", silent: "silent" }[kept.companion] ?? kept.companion, tone: { alive: "good", silent: "warn" }[kept.companion] }],
  ]);
  fill(part.rows, kept.operations, (one) => one.operation, (one) => [one.operation, number.format(one.lookups), number.format(one.hits), percent(one.hits, one.lookups), number.format(one.bypassed)]);
}
