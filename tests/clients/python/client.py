"""Reads, writes and is refused, with a client made by openapi-python-client."""

import os

from api import AuthenticatedClient, Client
from api import models
from api.api.categories import create_category, delete_category, update_category
from api.api.events import create_event, delete_event, list_events, read_event, update_event
from api.api.organizers import create_organizer, delete_organizer, update_organizer
from api.api.tags import create_tag, delete_tag, update_tag
from api.api.venues import create_venue, delete_venue, update_venue
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

name = "Made by Python"
for kind, create, update, delete, title, more in [
    ("Event", create_event, update_event, delete_event, "title",
     {"start_date": "2035-05-04 19:00:00", "end_date": "2035-05-04 21:00:00"}),
    ("Venue", create_venue, update_venue, delete_venue, "venue", {"city": "Lübeck"}),
    ("Organizer", create_organizer, update_organizer, delete_organizer, "organizer", {}),
    ("Category", create_category, update_category, delete_category, "name", {}),
    ("Tag", create_tag, update_tag, delete_tag, "name", {}),
]:
    record, creation, change = (getattr(models, kind + part) for part in ("", "Create", "Update"))
    made = create.sync_detailed(client=editor, body=creation(**{title: name}, **more))
    assert made.status_code == 201 and isinstance(made.parsed, record), made
    changed = update.sync(id=made.parsed.id, client=editor, body=change(**{title: f"{name} again"}))
    assert isinstance(changed, record) and getattr(changed, title) == f"{name} again", changed
    deleted = delete.sync(id=made.parsed.id, client=editor)
    assert isinstance(deleted, record) and getattr(deleted, "status", "trash") == "trash", deleted
    print(f"created, changed and deleted {kind} {made.parsed.id}")
body = VenueCreate(venue=name)

invalid = list_events.sync_detailed(client=anonymous, page=0)
assert invalid.status_code == 400 and isinstance(invalid.parsed, InvalidParameters), invalid
forbidden = create_venue.sync_detailed(client=anonymous, body=body)
assert forbidden.status_code == 401 and isinstance(forbidden.parsed, Error), forbidden
print(f"refused: {invalid.parsed.message}; {forbidden.parsed.code}")
