// One section of the runbook, as text.

async function runbook(name) {
  const answer = await ask("/runbook");
  const sections = answer.ok ? answer.body.split("\n## ") : [];
  const section = sections.find((one) => one.split("\n", 1)[0].toLowerCase() === name.toLowerCase());
  if (!section) return $("explained-part").replaceChildren(answer.ok ? h("p", {}, "No such section.") : refused(answer));
  const [title, ...lines] = section.split("\n");
  say($("explained-title"), title);
  $("explained-part").replaceChildren(...lines.join("\n").trim().split(/\n\n+/).map(block));
}

function block(text) {
  const code = /^```\w*\n([^]*)\n```$/.exec(text);
  return code ? h("pre", {}, code[1]) : h("p", {}, ...linked(text.replaceAll("\n", " ")));
}

/** Links within the runbook lead to its other sections; those to further documents are their text. */
function linked(text) {
  return text.split(/(\[[^\]]+\]\([^)]+\))/).flatMap((part) => {
    const [, shown, target] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    if (!shown) return rich(part);
    return target.startsWith("#") ? [h("a", { href: `#runbook/${target.slice(1)}` }, shown)] : [shown];
  });
}
