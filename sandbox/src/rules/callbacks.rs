//! The validate callbacks of the plugin, written as its PHP methods are.

use super::published::{Callback, parameters};
use crate::account::{ACCOUNTS, CurrentUser};
use crate::php::{intval, is_list, list_to_array, number};
use crate::site_call::text_of;
use crate::store::{PostStatus, Store};
use crate::{image, slug};
use calendar_edge_judge::contract::{Action, Kind, OperationId, Route, Taxonomy};
use calendar_edge_judge::wordpress::value::numeric::Numeric;
use calendar_edge_judge::wordpress::value::timezone::timezone_or_empty;
use calendar_edge_judge::wordpress::value::url_filter::url_or_empty;
use calendar_edge_judge::wordpress::value::{PhpArray, Value, datetime};

/// The callbacks with the database and the current user that they ask.
pub(super) struct Validator<'a> {
    pub(super) store: &'a Store,
    pub(super) user: CurrentUser,
}

// === impl Validator ===

impl Validator<'_> {
    /// Calls one callback.
    pub(super) fn accepts(&self, callback: Callback, value: &Value) -> bool {
        match callback {
            Callback::PositiveInt => is_positive_int(value),
            Callback::PositiveIntList => every(value, is_positive_int),
            Callback::NonEmptyText => is_string(value),
            Callback::TextOrEmpty => value.is_empty() || is_string(value),
            Callback::Time => is_time(value),
            Callback::TimezoneOrEmpty => value.is_empty() || is_timezone(value),
            Callback::UrlOrEmpty => value.is_empty() || is_url(value),
            Callback::Image => is_image(value),
            Callback::ImageOrEmpty => value.is_empty() || is_image(value),
            Callback::User => number(value).is_some() && is_account(value),
            Callback::EventId => self.is_post(Kind::Event, value),
            Callback::VenueId => self.is_post_id(Kind::Venue, value),
            Callback::OrganizerId => self.are_organizers(value),
            Callback::VenueIdList => every(value, |entry| self.is_post_id(Kind::Venue, entry)),
            Callback::OrganizerIdList => every(value, |entry| self.are_organizers(entry)),
            Callback::PostSlug(kind) => self.is_slug(kind, value),
            Callback::Terms(taxonomy) => every(value, |entry| self.is_term(taxonomy, entry)),
            Callback::PostStatus => *value == Value::Bool(true) || is_status(value),
            Callback::StatusFilter => self.may_filter_by(value),
            Callback::Ticketed => !is_truthy(value),
            Callback::EntryOrEmpty(kind) => self.is_entry_or_empty(kind, value),
        }
    }

    /// Casts before it looks: `29abc` is 29.
    fn is_post(&self, kind: Kind, value: &Value) -> bool {
        let id = u64::try_from(intval(value));
        id.is_ok_and(|id| self.store.post(kind, id).is_some())
    }

    fn is_post_id(&self, kind: Kind, value: &Value) -> bool {
        number(value).is_some() && self.is_post(kind, value)
    }

    /// One organizer, or an array of them.
    fn are_organizers(&self, value: &Value) -> bool {
        match value {
            Value::Array(array) => {
                !array.is_empty()
                    && array
                        .values()
                        .all(|entry| self.is_post_id(Kind::Organizer, entry))
            }
            scalar => self.is_post_id(Kind::Organizer, scalar),
        }
    }

    /// `get_page_by_path`
    fn is_slug(&self, kind: Kind, value: &Value) -> bool {
        let asked = text_of(value).filter(|asked| !value.is_empty() && !slug::is_nested(asked));
        asked.is_some_and(|asked| {
            let stored = slug::from_request(&asked);
            self.store.post_by_slug(kind, &stored).is_some()
        })
    }

    /// `term_exists`: integers are ids only, and their sign is dropped; other texts are slugs or names.
    fn is_term(&self, taxonomy: Taxonomy, value: &Value) -> bool {
        match number(value) {
            Some(Numeric::Int(id)) => self.store.term(taxonomy, id.unsigned_abs()).is_some(),
            Some(Numeric::Float(_)) => false,
            None => {
                let text = text_of(value).unwrap_or_default();
                let text = text.trim();
                !text.is_empty() && self.store.term_called(taxonomy, text).is_some()
            }
        }
    }

    /// Who may not edit posts may ask for published ones only.
    fn may_filter_by(&self, value: &Value) -> bool {
        let asked = list_to_array(value);
        if self.user.may_write() {
            return asked.iter().all(|status| is_status(status));
        }
        matches!(asked.as_slice(), [only] if only.as_text() == Some(b"publish"))
    }

    /// A linked record by number, the data of a new one, or a list of both.
    fn is_entry_or_empty(&self, kind: Kind, value: &Value) -> bool {
        match value {
            Value::Array(array) if array.values().all(Value::is_empty) => true,
            Value::Array(array) if is_list(array) => array.values().all(|entry| self.is_entry(kind, entry)),
            Value::Array(_) => self.is_entry(kind, value),
            _ if value.is_empty() => true,
            scalar => {
                let text = text_of(scalar).unwrap_or_default();
                *scalar != Value::Bool(true)
                    && text
                        .split(',')
                        .all(|id| self.is_post_id(kind, &Value::text(id.trim())))
            }
        }
    }

    fn is_entry(&self, kind: Kind, entry: &Value) -> bool {
        let Value::Array(data) = entry else {
            return self.is_post_id(kind, entry);
        };
        match data.get("id").filter(|id| !id.is_empty()) {
            Some(id) => self.is_post(kind, id),
            None => !is_list(data) && self.may_create(kind, data),
        }
    }

    /// The plugin runs the checks of the record's own create route on the data.
    fn may_create(&self, kind: Kind, data: &PhpArray) -> bool {
        let create = OperationId {
            route: Route::Collection(kind),
            action: Action::Create,
        };
        parameters(create)
            .iter()
            .all(|parameter| match data.get(&parameter.name) {
                None | Some(Value::Null) => !parameter.is_required,
                Some(value) => parameter
                    .callback
                    .is_none_or(|callback| self.accepts(callback, value)),
            })
    }
}

/// `! empty( $list )`, and every entry of it passes.
fn every(value: &Value, check: impl Fn(&Value) -> bool) -> bool {
    let entries = list_to_array(value);
    !entries.is_empty() && entries.iter().all(|entry| check(entry))
}

/// `is_numeric( $value ) && intval( $value ) == $value && intval( $value ) > 0`; a JSON number from 2^63 on wraps
/// around in `intval`.
fn is_positive_int(value: &Value) -> bool {
    /// 2^63
    const PAST_THE_LARGEST: f64 = 9_223_372_036_854_775_808.0;
    let is_text = value.as_text().is_some();
    number(value).is_some_and(|number| match number {
        Numeric::Int(int) => int > 0,
        Numeric::Float(float) => {
            float > 0.0
                && float.fract() == 0.0
                && (float < PAST_THE_LARGEST || (is_text && float <= PAST_THE_LARGEST))
        }
    })
}

/// `! empty( $value ) && is_string( $value )`
fn is_string(value: &Value) -> bool {
    value.as_text().is_some() && !value.is_empty()
}

/// `is_numeric( $value ) || strtotime( $value )`
fn is_time(value: &Value) -> bool {
    number(value).is_some()
        || value
            .as_text()
            .is_some_and(|text| !datetime::time(text).is_reject())
}

fn is_timezone(value: &Value) -> bool {
    value
        .as_text()
        .is_some_and(|text| !timezone_or_empty(text).is_reject())
}

/// `filter_var( $value, FILTER_VALIDATE_URL )`
fn is_url(value: &Value) -> bool {
    value
        .as_text()
        .is_some_and(|text| !url_or_empty(text).is_reject())
}

/// An attachment. The plugin also asks the address of an image for its head; the sandbox fetches nothing.
fn is_image(value: &Value) -> bool {
    number(value).is_some() && u64::try_from(intval(value)).is_ok_and(image::exists)
}

fn is_account(value: &Value) -> bool {
    let id = u64::try_from(intval(value));
    ACCOUNTS.iter().any(|account| Ok(account.id) == id)
}

/// `in_array( $value, get_post_stati() )`
fn is_status(value: &Value) -> bool {
    let name = value.as_text().and_then(|text| std::str::from_utf8(text).ok());
    name.is_some_and(|name| PostStatus::named(name).is_some())
}

/// `tribe_is_truthy`
fn is_truthy(value: &Value) -> bool {
    const WORDS: [&str; 7] = ["1", "enable", "enabled", "on", "y", "yes", "true"];
    match value.as_text() {
        Some(text) => WORDS
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word.as_bytes())),
        None => !value.is_empty(),
    }
}
