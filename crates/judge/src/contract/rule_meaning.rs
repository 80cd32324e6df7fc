//! The rules that findings name, each explained in a sentence.

/// The sentence that explains a rule to people, by the name that findings give it; none for other names.
pub fn rule_meaning(rule: &str) -> Option<&'static str> {
    let mut meanings = MEANINGS.iter();
    meanings
        .find(|(name, _)| *name == rule)
        .map(|(_, meaning)| *meaning)
}

/// Every rule that a finding can name, with its sentence.
pub(crate) const MEANINGS: [(&str, &str); 34] = [
    (
        "anything",
        "Any value passes, but for shapes on which PHP would end with a fatal error.",
    ),
    ("boolean", "The value must be `true`, `false`, 1 or 0."),
    (
        "crash",
        "PHP would end with a fatal error on a value of this shape.",
    ),
    ("event_id", "The value must be the number of an event."),
    (
        "event_number",
        "The number in the path must be one that the site takes for an event.",
    ),
    ("event_slug", "The value must be the slug of an event."),
    (
        "image",
        "The value must be the number of an image, or a URL that the site can fetch one from.",
    ),
    (
        "image_or_empty",
        "The value must be empty, the number of an image, or a URL that the site can fetch one from.",
    ),
    ("integer", "The value must be a whole number."),
    (
        "non_empty_string",
        "The value must be a text that is neither empty nor `0`.",
    ),
    (
        "organizer_entry",
        "The value must be the number of an organizer, the members of a new one, or empty.",
    ),
    ("organizer_id", "The value must be the number of an organizer."),
    (
        "organizer_id_list",
        "The value must be a list of numbers of organizers.",
    ),
    ("organizer_slug", "The value must be the slug of an organizer."),
    ("positive_int", "The value must be a whole number above zero."),
    (
        "positive_int_list",
        "The value must be a list of whole numbers above zero.",
    ),
    (
        "post_status",
        "The value must be a post status that WordPress has.",
    ),
    (
        "request",
        "The request as a whole cannot be taken; the code has the reason.",
    ),
    (
        "required",
        "The parameter is missing, and the operation does not work without it.",
    ),
    (
        "status_filter",
        "The value must be a list of statuses that the caller may read.",
    ),
    (
        "strict",
        "The strict profile takes this parameter, or this form of its value, from no client.",
    ),
    ("string", "The value must be one text, and no list or object."),
    ("string_or_empty", "The value must be a text, or empty."),
    (
        "term_list",
        "The value must be a list of ids, slugs or names of terms.",
    ),
    (
        "ticketed",
        "The parameter works only where Event Tickets is active.",
    ),
    (
        "time",
        "The value must be a time that PHP can read, like `2027-05-01 18:00`.",
    ),
    (
        "timezone_or_empty",
        "The value must be a time zone that PHP has, or empty.",
    ),
    (
        "undeclared",
        "The operation does not declare this parameter: `enforce` leaves it out of the call.",
    ),
    ("url_or_empty", "The value must be a URL, or empty."),
    ("user_id", "The value must be the number of a user."),
    (
        "venue_entry",
        "The value must be the number of a venue, the members of a new one, or empty.",
    ),
    ("venue_id", "The value must be the number of a venue."),
    ("venue_id_list", "The value must be a list of numbers of venues."),
    ("venue_slug", "The value must be the slug of a venue."),
];
