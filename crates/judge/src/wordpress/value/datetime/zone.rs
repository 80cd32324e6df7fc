//! Forms of a time zone, and the blanks between forms.

use super::token::Form;

/// The zone forms and the blanks. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    ("{correction}|{zone}", |reading, token| {
        if reading.start_zone()? {
            reading.set_zone(token.zone())?;
        }
        Some(())
    }),
    (r"{blanks}|[.,\n\x00]", |_, _| Some(())),
];
