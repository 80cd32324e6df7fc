//! What the origin checks before it does anything: the phases of backend.md section 2, with a database at hand.
//!
//! The validate callbacks are those of `call`; what they leave to the database is looked up here.

use super::account::ACCOUNTS;
use super::refused::Refused;
use super::site_call::{Call, items_of, number_of, text_of};
use super::store::{Status, Store};
use super::{image, linked, slug};
use calendar_edge_core::call::{ImageHosts, JudgeContext, judge_value};
use calendar_edge_core::contract::{Argument, Kind, Rule, Schema, Taxonomy};
use calendar_edge_core::credentials::Caller;
use calendar_edge_core::problem::{Fault, InvalidParameter, Problem};
use calendar_edge_core::value::{Value, Verdict, boolean, integer, numeric};

/// Refuses a call that WordPress would refuse for its parameters.
pub(super) fn judge(call: &Call, store: &Store) -> Result<(), Refused> {
    missing(call)?;
    let judge = Judge { call, store };
    let invalid: Vec<&Argument> = judge.invalid().collect();
    if let [only] = invalid.as_slice()
        && only.rule == Rule::Ticketed
    {
        return Err(Refused::TicketsMissing);
    }
    report(
        invalid
            .into_iter()
            .map(|argument| (argument.name, Fault::Invalid)),
    )?;
    report(mistyped(call))
}

fn missing(call: &Call) -> Result<(), Refused> {
    let required = call
        .operation
        .arguments
        .iter()
        .filter(|argument| argument.is_required());
    let missing = required.filter(|argument| call.value(argument.name).is_none());
    let missing: Vec<&'static str> = missing.map(|argument| argument.name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Problem::Missing(missing).into())
}

fn report(faults: impl Iterator<Item = (&'static str, Fault)>) -> Result<(), Refused> {
    let mut invalid: Vec<InvalidParameter> = Vec::new();
    for (name, fault) in faults {
        if !invalid.iter().any(|known| known.name == name) {
            invalid.push(InvalidParameter { name, fault });
        }
    }
    if invalid.is_empty() {
        return Ok(());
    }
    Err(Problem::Invalid(invalid).into())
}

/// Values of the wrong schema type, sent by sent, losers included.
fn mistyped(call: &Call) -> impl Iterator<Item = (&'static str, Fault)> {
    call.parameters.in_order().iter().flat_map(|sent| {
        sent.parameters.entries().filter_map(|(key, value)| {
            let argument = call.operation.argument(&key.to_bytes())?;
            let schema = argument.schema?;
            (!is_of_type(schema, value)).then_some((argument.name, Fault::Type(schema)))
        })
    })
}

fn is_of_type(schema: Schema, value: &Value) -> bool {
    match schema {
        Schema::String => value.as_text().is_some(),
        Schema::Integer => integer::is_integer(value),
        Schema::Boolean => boolean::is_boolean(value),
    }
}

/// A call beside the records that its values may name.
struct Judge<'a> {
    call: &'a Call,
    store: &'a Store,
}

// === impl Judge ===

impl<'a> Judge<'a> {
    fn invalid(&self) -> impl Iterator<Item = &'a Argument> {
        self.call.operation.arguments.iter().filter(|argument| {
            let sent = self.call.value(argument.name);
            sent.is_some_and(|value| !self.admits(argument.rule, value))
        })
    }

    fn admits(&self, rule: Rule, value: &Value) -> bool {
        let caller = if self.call.caller.is_known() {
            Caller::Credentialed
        } else {
            Caller::Anonymous
        };
        let judge_context = JudgeContext {
            caller,
            // The sandbox fetches nothing.
            images: &ImageHosts::default(),
        };
        match judge_value(rule, value, judge_context) {
            Verdict::Admit => rule != Rule::PostStatus || is_status(value),
            Verdict::Reject => false,
            Verdict::Defer(_) => self.knows(rule, value),
        }
    }

    /// What the database, the plugins and the network of this site say.
    fn knows(&self, rule: Rule, value: &Value) -> bool {
        match rule {
            Rule::EventId => self.has_post(Kind::Event, value),
            Rule::VenueId => self.has_post(Kind::Venue, value),
            Rule::OrganizerId => self.has_post(Kind::Organizer, value),
            Rule::VenueIdList => self.has_posts(Kind::Venue, value),
            Rule::OrganizerIdList => self.has_posts(Kind::Organizer, value),
            Rule::VenueEntry => linked::is_known(self.store, Kind::Venue, value),
            Rule::OrganizerEntry => linked::is_known(self.store, Kind::Organizer, value),
            Rule::EventSlug => self.has_slug(Kind::Event, value),
            Rule::VenueSlug => self.has_slug(Kind::Venue, value),
            Rule::OrganizerSlug => self.has_slug(Kind::Organizer, value),
            Rule::TermList(taxonomy) => items_of(value).iter().all(|item| self.has_term(taxonomy, item)),
            Rule::UserId => {
                let id = number_of(value);
                ACCOUNTS.iter().any(|account| Some(account.id) == id)
            }
            // Images by address would have to be fetched, which the sandbox does not do.
            Rule::Image | Rule::ImageOrEmpty => number_of(value).is_some_and(image::exists),
            Rule::PostStatus => is_status(value),
            Rule::StatusFilter => {
                self.call.caller.may_write()
                    && items_of(value).iter().all(|name| Status::named(name).is_some())
            }
            Rule::Ticketed => false,
            // What only some builds of PHP take; all else is judged already.
            Rule::Time
            | Rule::UrlOrEmpty
            | Rule::TimezoneOrEmpty
            | Rule::Anything
            | Rule::PositiveInt
            | Rule::PositiveIntList
            | Rule::NonEmptyString
            | Rule::StringOrEmpty => true,
        }
    }

    fn has_post(&self, kind: Kind, value: &Value) -> bool {
        number_of(value).is_some_and(|id| self.store.post(kind, id).is_some())
    }

    fn has_posts(&self, kind: Kind, value: &Value) -> bool {
        items_of(value)
            .iter()
            .all(|item| self.has_post(kind, &Value::text(item.as_str())))
    }

    fn has_slug(&self, kind: Kind, value: &Value) -> bool {
        let asked = text_of(value).filter(|asked| !slug::is_nested(asked));
        asked.is_some_and(|asked| {
            self.store
                .post_by_slug(kind, &slug::from_request(&asked))
                .is_some()
        })
    }

    /// Whole numbers are ids only, other texts slugs or names; `-2` finds 2.
    fn has_term(&self, taxonomy: Taxonomy, item: &str) -> bool {
        let item = item.trim();
        if !numeric::is_numeric(item.as_bytes()) {
            return self.store.term_called(taxonomy, item).is_some();
        }
        let id = item.parse::<i64>().ok().map(i64::unsigned_abs);
        id.is_some_and(|id| self.store.term(taxonomy, id).is_some())
    }
}

fn is_status(value: &Value) -> bool {
    *value == Value::Bool(true) || text_of(value).is_some_and(|name| Status::named(&name).is_some())
}
