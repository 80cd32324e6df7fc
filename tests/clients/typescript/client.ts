// Reads, creates and is refused, with types made by openapi-typescript.
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

const body = { venue: "Made by TypeScript", city: "Lübeck" };
const { data: venue, response: made } = await editor.POST("/venues", { body });
assert(venue && made.status === 201 && venue.city === body.city);
const { data: deleted } = await editor.DELETE("/venues/{id}", { params: { path: { id: venue.id } } });
assert(deleted && deleted.status === "trash");
console.log(`created and deleted ${venue.id}`);

const { error: invalid } = await anonymous.GET("/events", { params: { query: { page: 0 } } });
assert(invalid?.code === "rest_invalid_param");
assert(typeof invalid.data === "object" && invalid.data && "params" in invalid.data);
const { error: forbidden, response } = await anonymous.POST("/venues", { body });
assert(forbidden && response.status === 401);
console.log(`refused: ${invalid.message}; ${forbidden.code}`);
