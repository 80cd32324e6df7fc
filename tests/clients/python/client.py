"""Reads, creates and is refused, with a client made by openapi-python-client."""

import os

from api import AuthenticatedClient, Client
from api.api.events import list_events, read_event
from api.api.venues import create_venue, delete_venue
from api.models import Error, Event, EventList, InvalidParameters, Venue, VenueCreate

address = os.environ["API"]
scheme, secret = os.environ["AUTHORIZATION"].split(" ", 1)
anonymous = Client(base_url=address)
editor = AuthenticatedClient(base_url=address, token=secret, prefix=scheme)

page = list_events.sync(client=anonymous, per_page=2)
assert isinstance(page, EventList), page
assert page.total > 2 and len(page.events) == 2, page
event = read_event.sync(id=page.events[0].id, client=anonymous)
assert isinstance(event, Event) and event.title == page.events[0].title, event
# PHP prints an empty list where there is no venue, and `false` where there is no image.
city = event.venue.city if isinstance(event.venue, Venue) else "nowhere"
image = event.image.url if event.image else "no image"
print(f"read {event.id}: {event.title}, {city}, {image}")

body = VenueCreate(venue="Made by Python", city="Lübeck")
made = create_venue.sync_detailed(client=editor, body=body)
assert made.status_code == 201 and isinstance(made.parsed, Venue), made
deleted = delete_venue.sync(id=made.parsed.id, client=editor)
assert isinstance(deleted, Venue) and deleted.status == "trash", deleted
print(f"created and deleted {made.parsed.id}")

invalid = list_events.sync_detailed(client=anonymous, page=0)
assert invalid.status_code == 400 and isinstance(invalid.parsed, InvalidParameters), invalid
forbidden = create_venue.sync_detailed(client=anonymous, body=body)
assert forbidden.status_code == 401 and isinstance(forbidden.parsed, Error), forbidden
print(f"refused: {invalid.parsed.message}; {forbidden.parsed.code}")
