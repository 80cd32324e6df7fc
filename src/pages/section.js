// Calendar pages: those kept from WordPress, the reasons why it gets the others, and the findings of the check.

function calendarPages(now) {
  const { calendar_pages: { requests, check, hindrance }, calendar_pages_mode: mode } = now;
  const { served, would_serve, limited, would_limit, ...forwarded } = requests;
  const count = (real, more) => number.format(real ?? 0) + (more ? `, ${number.format(more)} would be` : "");
  pairs($("pages-part"), [
    ["Mode", mode],
    ["Served", count(served, would_serve)],
    ["Refused", count(limited, would_limit)],
    ["Forwarded", Object.entries(forwarded).map(([name, times]) => `${name.replaceAll("_", " ")} ${times}`).join(", ")],
    ["Check", check.example ? { text: `an event at ${check.example}`, tone: "bad" } : `${check.agreed} agreed`],
    ["In the way", mode === "off" ? null : hindrance],
  ]);
}
