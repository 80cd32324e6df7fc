// Prints what ical.js finds in a calendar: one JSON list. It knows no zones but those of the calendar.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [tools, file] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${tools}/`));
const { default: ICAL } = await import(pathToFileURL(require.resolve("ical.js")));

const calendar = new ICAL.Component(ICAL.parse(readFileSync(file, "utf8")));
for (const zone of calendar.getAllSubcomponents("vtimezone")) {
  ICAL.TimezoneService.register(new ICAL.Timezone(zone));
}

const shown = (time) => (time.isDate ? time.toString() : time.toUnixTime());
const events = calendar.getAllSubcomponents("vevent").map((component) => {
  const event = new ICAL.Event(component);
  return {
    uid: event.uid,
    start: shown(event.startDate),
    end: component.hasProperty("dtend") ? shown(event.endDate) : null,
    summary: event.summary,
    description: event.description ?? "",
    location: event.location ?? "",
    categories: component.getAllProperties("categories").flatMap((property) => property.getValues()),
  };
});
process.stdout.write(JSON.stringify(events));
