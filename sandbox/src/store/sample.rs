//! The rows of the sample calendar; places in one table point into the others by position.

use super::post::PostStatus;

/// An event of the sample calendar.
#[derive(Debug)]
pub(super) struct EventRow {
    /// Title; the slug follows from it.
    pub(super) title: &'static str,
    /// Days from today; past ones are negative.
    pub(super) day: i64,
    /// When on that day, and how long.
    pub(super) hours: Hours,
    /// The zone of its clock.
    pub(super) timezone: &'static str,
    /// Position among [`VENUES`].
    pub(super) venue: Option<usize>,
    /// Positions among [`ORGANIZERS`].
    pub(super) organizers: &'static [usize],
    /// Positions among [`CATEGORIES`].
    pub(super) categories: &'static [usize],
    /// Positions among [`TAGS`].
    pub(super) tags: &'static [usize],
    /// The cost as text.
    pub(super) cost: &'static str,
    /// The description.
    pub(super) description: &'static str,
    /// The number of an image; an event with one is featured.
    pub(super) image: Option<u64>,
    /// To whom it shows.
    pub(super) shown: Shown,
}

/// When an event takes place on its day.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hours {
    /// From an hour on, for some hours.
    From(i8, i64),
    /// That many whole days.
    WholeDays(i64),
}

/// To whom an event shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shown {
    /// To everyone.
    Openly,
    /// As its status says.
    As(PostStatus),
    /// To clients with the password.
    Behind(&'static str),
}

/// Name and parent of each category.
pub(super) const CATEGORIES: [(&str, Option<&str>); 8] = [
    ("Music", None),
    ("Jazz", Some("Music")),
    ("Choir", Some("Music")),
    ("Food & Drink", None),
    ("Workshops", None),
    ("Handwerk", Some("Workshops")),
    ("映画", None),
    ("Sports", None),
];

/// The tags.
pub(super) const TAGS: [&str; 6] = [
    "free",
    "outdoors",
    "family",
    "18+",
    "wheelchair access",
    "Straßenfest",
];

/// Name, address, city, country, postal code, phone, website, description.
pub(super) const VENUES: [[&str; 8]; 5] = [
    [
        "Salt Warehouse",
        "Am Speicher 4",
        "Lübeck",
        "Germany",
        "23552",
        "+49 451 555 0140",
        "https://salt.example/",
        "Brick, beams and a very good echo.",
    ],
    [
        "Café Kürbis & Söhne",
        "Hüxstraße 88",
        "Lübeck",
        "Germany",
        "23552",
        "+49 451 555 0177",
        "",
        "",
    ],
    [
        "Harbour Meadow",
        "Kaiweg 1",
        "Travemünde",
        "Germany",
        "23570",
        "",
        "https://meadow.example/?map=1&lang=en",
        "Grass, water, no roof.",
    ],
    [
        "City Library",
        "Hundestraße 5",
        "Lübeck",
        "Germany",
        "23552",
        "+49 451 555 0102",
        "",
        "",
    ],
    [
        "港ホール",
        "海岸通3丁目",
        "神戸",
        "Japan",
        "650-0024",
        "+81 78 555 0199",
        "https://minato.example/",
        "",
    ],
];

/// Name, phone, website, e-mail, description.
pub(super) const ORGANIZERS: [[&str; 5]; 5] = [
    [
        "Blue Herring Concerts",
        "+49 451 555 0123",
        "https://herring.example/",
        "booking@herring.example",
        "A small agency for loud evenings.",
    ],
    ["Verein für Höfe & Gärten", "", "", "post@hoefe.example", ""],
    [
        "O'Hara's Kitchen",
        "+49 451 555 0155",
        "https://ohara.example/menu",
        "",
        "Soup first.",
    ],
    ["City of Lübeck", "", "https://city.example/", "", ""],
    [
        "神戸映画クラブ",
        "",
        "https://eiga.example/ja",
        "club@eiga.example",
        "",
    ],
];

const BERLIN: &str = "Europe/Berlin";

/// A public event without an image; the rows below differ from it.
const PLAIN: EventRow = EventRow {
    title: "",
    day: 0,
    hours: Hours::From(19, 2),
    timezone: BERLIN,
    venue: None,
    organizers: &[],
    categories: &[],
    tags: &[],
    cost: "",
    description: "",
    image: None,
    shown: Shown::Openly,
};

/// The events.
pub(super) const EVENTS: &[EventRow] = &[
    EventRow {
        title: "Winter Choir",
        day: -24,
        venue: Some(0),
        organizers: &[0],
        categories: &[2],
        cost: "8",
        ..PLAIN
    },
    EventRow {
        title: "Repair Evening",
        day: -9,
        venue: Some(3),
        organizers: &[3],
        categories: &[4],
        tags: &[0, 4],
        ..PLAIN
    },
    EventRow {
        title: "Photographs of the Old Quay",
        day: -3,
        hours: Hours::WholeDays(20),
        venue: Some(3),
        organizers: &[3],
        tags: &[0],
        description: "Two hundred glass plates, found in an attic.",
        ..PLAIN
    },
    EventRow {
        title: "Jazz in the Salt Warehouse",
        day: 1,
        hours: Hours::From(20, 3),
        venue: Some(0),
        organizers: &[0],
        categories: &[1],
        tags: &[3],
        cost: "12-18",
        description: "The house trio and whoever comes by.\n\nBring your own chair if you like to sit.",
        ..PLAIN
    },
    EventRow {
        title: "Lantern Parade",
        day: 2,
        hours: Hours::From(17, 2),
        venue: Some(2),
        organizers: &[1, 3],
        categories: &[0],
        tags: &[0, 1, 2],
        description: "<p>From the meadow to the <strong>harbour</strong> and back.</p>",
        image: Some(5),
        ..PLAIN
    },
    EventRow {
        title: "Soup & Stories",
        day: 3,
        hours: Hours::From(12, 2),
        venue: Some(1),
        organizers: &[2],
        categories: &[3],
        tags: &[2],
        cost: "€9.50",
        ..PLAIN
    },
    EventRow {
        title: "Grünkohl für Anfänger",
        day: 4,
        hours: Hours::From(18, 3),
        venue: Some(1),
        organizers: &[2],
        categories: &[3, 4],
        cost: "€25",
        description: "Wir kochen zusammen. Schürzen sind da.",
        ..PLAIN
    },
    EventRow {
        title: "Street Sweep 🧹",
        day: 5,
        hours: Hours::From(9, 3),
        organizers: &[1],
        categories: &[],
        tags: &[1, 5],
        ..PLAIN
    },
    EventRow {
        title: "Harbour Swim",
        day: 6,
        hours: Hours::From(7, 1),
        venue: Some(2),
        organizers: &[3],
        categories: &[7],
        tags: &[0, 1],
        description: "Cold. Very cold.",
        ..PLAIN
    },
    EventRow {
        title: "Open Day of the Gardens",
        day: 8,
        hours: Hours::WholeDays(1),
        organizers: &[1],
        tags: &[0, 1, 2],
        image: Some(6),
        ..PLAIN
    },
    EventRow {
        title: "Book Binding",
        day: 10,
        hours: Hours::From(14, 4),
        venue: Some(3),
        organizers: &[3],
        categories: &[5],
        cost: "30",
        ..PLAIN
    },
    EventRow {
        title: "港の短編映画",
        day: 11,
        hours: Hours::From(18, 2),
        timezone: "Asia/Tokyo",
        venue: Some(4),
        organizers: &[4],
        categories: &[6],
        description: "短い映画を七本。",
        ..PLAIN
    },
    EventRow {
        title: "Midnight Jazz",
        day: 12,
        hours: Hours::From(23, 3),
        venue: Some(0),
        organizers: &[0],
        categories: &[1],
        tags: &[3],
        cost: "15",
        ..PLAIN
    },
    EventRow {
        title: "Camp on the Meadow",
        day: 14,
        hours: Hours::WholeDays(3),
        venue: Some(2),
        organizers: &[1],
        categories: &[7],
        tags: &[1, 2],
        cost: "40",
        description: "Three days, two nights, one kettle.",
        ..PLAIN
    },
    EventRow {
        title: "Choir Rehearsal",
        day: 15,
        venue: Some(0),
        categories: &[2],
        tags: &[4],
        ..PLAIN
    },
    EventRow {
        title: "Choir Rehearsal",
        day: 22,
        venue: Some(0),
        categories: &[2],
        tags: &[4],
        ..PLAIN
    },
    EventRow {
        title: "Chess by the Water",
        day: 18,
        hours: Hours::From(15, 4),
        venue: Some(2),
        categories: &[7],
        tags: &[0, 1],
        ..PLAIN
    },
    EventRow {
        title: "Sourdough \"Live\"",
        day: 20,
        hours: Hours::From(10, 5),
        venue: Some(1),
        organizers: &[2],
        categories: &[3, 4],
        cost: "45",
        ..PLAIN
    },
    EventRow {
        title: "Live from New York",
        day: 25,
        hours: Hours::From(19, 2),
        timezone: "America/New_York",
        organizers: &[0],
        categories: &[0],
        description: "A concert far away, on a screen near you.",
        ..PLAIN
    },
    EventRow {
        title: "Night of the Museums",
        day: 32,
        hours: Hours::From(18, 8),
        venue: Some(3),
        organizers: &[3],
        tags: &[2, 4],
        cost: "10",
        ..PLAIN
    },
    EventRow {
        title: "Spoon Carving",
        day: 40,
        hours: Hours::From(11, 6),
        venue: Some(1),
        organizers: &[1],
        categories: &[5],
        cost: "35",
        ..PLAIN
    },
    EventRow {
        title: "Festival of Small Boats",
        day: 75,
        hours: Hours::WholeDays(4),
        venue: Some(2),
        organizers: &[0, 1, 3],
        categories: &[0, 7],
        tags: &[0, 1, 2, 5],
        ..PLAIN
    },
    EventRow {
        title: "Next Year's Parade",
        day: 365,
        hours: Hours::From(17, 2),
        venue: Some(2),
        organizers: &[1],
        tags: &[0],
        ..PLAIN
    },
    EventRow {
        title: "Surprise for the Mayor",
        day: 9,
        venue: Some(0),
        description: "Nobody has approved this yet.",
        shown: Shown::As(PostStatus::Draft),
        ..PLAIN
    },
    EventRow {
        title: "Volunteers' Dinner",
        day: 13,
        venue: Some(1),
        organizers: &[2],
        shown: Shown::As(PostStatus::Private),
        ..PLAIN
    },
    EventRow {
        title: "Secret Rehearsal",
        day: 16,
        venue: Some(0),
        organizers: &[0],
        categories: &[2],
        cost: "20",
        description: "The doors open at the knock you know.",
        shown: Shown::Behind("herring"),
        ..PLAIN
    },
];
