// Cut-over rules, and the findings of copied calls.

function migration(now, answer) {
  const isUsed = now.cutover.length > 0 || now.shadow.length > 0 || (answer.ok && Object.keys(answer.body.backends).length > 0);
  $("migration").hidden = $("to-migration").hidden = !isUsed;
  if (!isUsed) return;
  const part = $("migration-part");
  if (!answer.ok) return show(part, `${answer.status}`, () => refused(answer));
  show(part, "tables", () => {
    const [rules, rows] = table("Cut-over rules", ["Rule", "Operations", "Backend", ["Share", "n"], "State", ["Guard", "w"]], "No rule is configured.");
    const [shadow, verdicts] = table("Shadow: copied calls, compared", ["Operation", "Backend", ["Compared", "n"], "Verdict", ["Why", "w"]], "No call was compared yet.");
    [part.rules, part.verdicts] = [rows, verdicts];
    return [rules, shadow];
  });
  fill(part.rules, answer.body.rules, (rule) => rule.name, (rule) => [
    rule.name, `${rule.operations.join(", ")} (${rule.methods})`, rule.backend, rule.share,
    rule.returned ? { text: "returned to the site", tone: "bad" } : { text: "in force", tone: "good" },
    rule.returned ? `${rule.returned.reason}, ${moment(rule.returned.at * 1000)}` : watched(rule.guard),
  ]);
  const verdicts = Object.entries(answer.body.backends).flatMap(([backend, { operations: list }]) => Object.entries(list).map(([operation, one]) => ({ backend, operation, ...one })));
  fill(part.verdicts, verdicts, (one) => `${one.backend} ${one.operation}`, (one) => [
    one.operation, one.backend, number.format(one.calls), { text: one.verdict.replace("_", " "), tone: one.verdict === "ready" ? "good" : "warn" }, one.why,
  ]);
}

const watched = (guard) => guard ? `${guard.failed} of ${guard.calls} calls failed, ${guard.different} of ${guard.compared} differed` : "none";
