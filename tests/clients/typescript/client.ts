// Reads, writes and is refused, with types made by openapi-typescript.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Event = components["schemas"]["Event"];

const { API, AUTHORIZATION } = process.env;
assert(API && AUTHORIZATION);
const anonymous = createClient<paths>({ baseUrl: API });
const editor = createClient<paths>({ baseUrl: API, headers: { authorization: AUTHORIZATION } });

/** The city of an event: PHP prints an empty list where there is no venue. */
function city({ venue }: Event): string | undefined {
  return Array.isArray(venue) ? undefined : venue.city;
}

const { data: page } = await anonymous.GET("/events", { params: { query: { per_page: 2 } } });
assert(page && page.total > 2 && page.events.length === 2 && page.next_rest_url);
const first = page.events[0];
assert(first);
const { data: event } = await anonymous.GET("/events/{id}", { params: { path: { id: first.id } } });
assert(event && event.title === first.title && event.start_date_details.year.length === 4);
const image: string | undefined = event.image ? event.image.url : undefined;
console.log(`read ${event.id}: ${event.title}, ${city(event) ?? "nowhere"}, ${image ?? "no image"}`);

const name = "Made by TypeScript";
const again = `${name} again`;
/** The path of a record that was created. */
function at(record: { id: number } | undefined, response: Response) {
  assert(record && response.status === 201);
  console.log(`created ${record.id}`);
  return { path: { id: record.id } };
}

{
  const body = { title: name, start_date: "2035-05-04 19:00:00", end_date: "2035-05-04 21:00:00" };
  const { data, response } = await editor.POST("/events", { body });
  const params = at(data, response);
  const { data: changed } = await editor.POST("/events/{id}", { params, body: { title: again } });
  assert.equal(changed?.title, again);
  const { data: deleted } = await editor.DELETE("/events/{id}", { params });
  assert.equal(deleted?.status, "trash");
}
const body = { venue: name, city: "Lübeck" };
{
  const { data, response } = await editor.POST("/venues", { body });
  const params = at(data, response);
  const { data: changed } = await editor.POST("/venues/{id}", { params, body: { venue: again } });
  assert.equal(changed?.venue, again);
  const { data: deleted } = await editor.DELETE("/venues/{id}", { params });
  assert.equal(deleted?.status, "trash");
}
{
  const { data, response } = await editor.POST("/organizers", { body: { organizer: name } });
  const params = at(data, response);
  const { data: changed } = await editor.POST("/organizers/{id}", { params, body: { organizer: again } });
  assert.equal(changed?.organizer, again);
  const { data: deleted } = await editor.DELETE("/organizers/{id}", { params });
  assert.equal(deleted?.status, "trash");
}
{
  const { data, response } = await editor.POST("/categories", { body: { name } });
  const params = at(data, response);
  const { data: changed } = await editor.POST("/categories/{id}", { params, body: { name: again } });
  assert.equal(changed?.name, again);
  const { data: deleted } = await editor.DELETE("/categories/{id}", { params });
  assert.equal(deleted?.name, again);
}
{
  const { data, response } = await editor.POST("/tags", { body: { name } });
  const params = at(data, response);
  const { data: changed } = await editor.POST("/tags/{id}", { params, body: { name: again } });
  assert.equal(changed?.name, again);
  const { data: deleted } = await editor.DELETE("/tags/{id}", { params });
  assert.equal(deleted?.name, again);
}

const { error: invalid } = await anonymous.GET("/events", { params: { query: { page: 0 } } });
assert(invalid?.code === "rest_invalid_param");
assert(typeof invalid.data === "object" && invalid.data && "params" in invalid.data);
const { error: forbidden, response } = await anonymous.POST("/venues", { body });
assert(forbidden && response.status === 401);
console.log(`refused: ${invalid.message}; ${forbidden.code}`);
