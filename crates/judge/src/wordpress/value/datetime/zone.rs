//! Forms of a time zone, and the blanks between forms.

use super::date_form::Form;
use super::pattern::Pattern::{self, Either, Exact, One, Optional, Repeat, Run, Sequence};
use super::vocabulary::{BLANKS, HOUR, HOUR_2, MINUTE, MINUTE_2, SECOND_2};

const LETTERS: Pattern = Run {
    of: u8::is_ascii_alphabetic,
    length: (1, usize::MAX),
};

/// `CET`, `(EST)`, `Europe/Berlin`: an abbreviation has up to six letters, a name at least two parts.
pub(super) const ZONE: Pattern = Either(&[
    Sequence(&[
        Optional(&Exact("(")),
        Run {
            of: u8::is_ascii_alphabetic,
            length: (1, 6),
        },
        Optional(&Exact(")")),
    ]),
    Sequence(&[
        Run {
            of: u8::is_ascii_uppercase,
            length: (1, 1),
        },
        Run {
            of: u8::is_ascii_lowercase,
            length: (1, usize::MAX),
        },
        Repeat(&Sequence(&[One(b"_/-"), LETTERS])),
    ]),
]);

/// `+2`, `-0530`, `+05:30:00`, `GMT+1`
pub(super) const CORRECTION: Pattern = Sequence(&[
    Optional(&Exact("GMT")),
    One(b"+-"),
    Either(&[
        Sequence(&[HOUR, Optional(&Sequence(&[Optional(&Exact(":")), MINUTE]))]),
        Sequence(&[HOUR_2, MINUTE_2, SECOND_2]),
        Sequence(&[HOUR_2, Exact(":"), MINUTE_2, Exact(":"), SECOND_2]),
    ]),
]);

/// The zone forms and the blanks. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    Form {
        pattern: Either(&[CORRECTION, ZONE]),
        read: |reading, token| {
            if reading.start_zone()? {
                reading.set_zone(token.zone())?;
            }
            Some(())
        },
    },
    Form {
        pattern: Either(&[BLANKS, One(b".,\n\0")]),
        read: |_, _| Some(()),
    },
];
