//! The policy that applies to a call: what it decides of operations, callers and parameters.

use super::rules::{created, members};
use crate::call::credentials::Caller;
use crate::contract::{Argument, Kind, Operation, Role};
use crate::policy::{Mode, Policy, Profile, UndeclaredParameters, Writes};
use crate::problem::{OwnError, Problem, Words};
use crate::wordpress::payload::Parameters;
use crate::wordpress::value::{PhpArray, Value};

// === impl Policy ===

impl Policy {
    /// Returns true if the rules of the strict profile apply to calls of an operation, or to requests that
    /// lead to no operation. The mode decides what an objection means: see [`Policy::enforced_profile`].
    pub(super) fn is_strict(&self, operation: Option<&Operation>) -> bool {
        self.profile(operation) == Profile::Strict
    }

    /// The profile whose rules decide: strict only if its objections are enforced. In report mode the strict
    /// rules run as well, but their objections are only findings.
    pub(super) fn enforced_profile(&self, operation: Option<&Operation>) -> Profile {
        if self.is_strict(operation) && self.mode(operation) == Mode::Enforce {
            Profile::Strict
        } else {
            Profile::Compatible
        }
    }

    /// Returns true if a call names the author of a record, and the settings forbid it (T-33).
    pub(super) fn refuses_author(&self, operation: &Operation, parameters: &Parameters) -> bool {
        let allowed = self.allow_author.unwrap_or(!self.is_strict(Some(operation)));
        !allowed && operation.is_write() && names_author(operation, parameters)
    }

    /// Undeclared parameters that the settings allow for an operation.
    pub(super) fn extra_parameters(&self, operation: &Operation) -> impl Iterator<Item = &str> + Clone {
        let own = self.of(Some(operation));
        let own = own.map_or(&[][..], |own| &own.extra_parameters);
        self.extra_parameters.iter().chain(own).map(String::as_str)
    }

    /// The treatment of undeclared parameters of an operation by the settings.
    pub(super) fn undeclared(&self, operation: &Operation) -> UndeclaredParameters {
        self.undeclared.unwrap_or(if self.is_strict(Some(operation)) {
            UndeclaredParameters::Refuse
        } else {
            UndeclaredParameters::Drop
        })
    }

    /// The public addresses of the API on one root, below the host: root path and namespace.
    pub(super) fn bases(&self, root: usize) -> impl Iterator<Item = String> {
        let root = self.roots.get(root).map_or("", |root| root.path.as_str());
        let namespaces = self.namespaces.iter();
        namespaces.map(move |namespace| format!("{root}/{namespace}"))
    }

    /// The sentences of one root's site.
    pub(super) fn words(&self, root: usize) -> &Words {
        const ENGLISH: &Words = &Words::english();
        self.roots.get(root).map_or(ENGLISH, |root| &root.words)
    }

    /// Checks that the settings offer an operation.
    pub(super) fn offers(&self, operation: &Operation) -> Result<(), Problem> {
        if self.of(Some(operation)).is_some_and(|own| !own.allow) {
            return Err(Problem::Own(OwnError::OPERATION_DENIED));
        }
        if self.read_only && operation.is_write() {
            return Err(Problem::Own(OwnError::READ_ONLY));
        }
        Ok(())
    }

    /// Returns true if a call of this operation must carry credentials and this caller has none.
    pub(super) fn lacks_credentials(&self, operation: &Operation, caller: Caller) -> bool {
        self.writes == Writes::Credentials && operation.is_write() && caller == Caller::Anonymous
    }

    /// The problem with the `_jsonp` of a query, if there is one.
    pub(super) fn callback_problem(&self, query: &PhpArray) -> Option<Problem> {
        let is_name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
        match query.get("_jsonp")? {
            Value::String(name) if !name.iter().all(is_name_byte) => Some(Problem::InvalidCallback),
            Value::String(name) if name.is_empty() || self.allow_jsonp => None,
            Value::String(_) => Some(Problem::CallbackDisabled),
            _ => Some(Problem::InvalidCallback),
        }
    }

    /// Returns true if the response to a query is a script.
    pub(super) fn is_script(&self, query: &PhpArray) -> bool {
        let name = query.get("_jsonp").and_then(Value::as_text);
        self.allow_jsonp && name.is_some_and(|name| !name.is_empty())
    }

    /// Returns true if a client may request the index of this namespace.
    pub(super) fn is_public(&self, namespace: &Value) -> bool {
        let name = namespace.as_text();
        let mut namespaces = self.namespaces.iter();
        namespaces.any(|public| Some(public.as_bytes()) == name)
    }
}

/// Returns true if the call names the author of the record, or of a record that is created with it.
fn names_author(operation: &Operation, parameters: &Parameters) -> bool {
    operation.arguments.iter().any(|argument| {
        let Some((_, value)) = parameters.get(argument.name) else {
            return false;
        };
        match argument.rule.creates() {
            Some(kind) => record_names_author(kind, value),
            None => argument.role == Role::Author,
        }
    })
}

fn record_names_author(kind: Kind, value: &Value) -> bool {
    let is_author = |argument: &&Argument| argument.role == Role::Author;
    let mut authors = created(kind)
        .arguments
        .iter()
        .filter(is_author)
        .flat_map(|argument| members(value, argument.name));
    authors.any(|author| *author != Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::table;
    use crate::policy::{OperationPolicy, ServedRoot};
    use crate::problem::Message;
    use crate::wordpress::payload::{Source, parse_form};

    fn in_force(change: impl FnOnce(&mut Policy)) -> Policy {
        let mut policy = Policy::default();
        change(&mut policy);
        policy
    }

    fn operation(name: &str) -> &'static Operation {
        table().named(name).unwrap()
    }

    /// A policy with an exception for `events.list`.
    fn with_exception(change: impl FnOnce(&mut OperationPolicy)) -> Policy {
        let mut own = OperationPolicy {
            mode: None,
            profile: None,
            allow: true,
            extra_parameters: Vec::new(),
        };
        change(&mut own);
        in_force(|policy| {
            policy.operations.insert(operation("events.list").id, own);
        })
    }

    fn query(text: &str) -> PhpArray {
        parse_form(text.as_bytes())
    }

    #[test]
    fn an_exception_is_of_its_operation_alone() {
        let (list, create) = (operation("events.list"), operation("events.create"));
        let policy = with_exception(|own| own.mode = Some(Mode::Report));
        assert_eq!(
            [Some(list), Some(create), None].map(|of| policy.mode(of)),
            [Mode::Report, Mode::Enforce, Mode::Enforce]
        );
        let policy = with_exception(|own| own.extra_parameters = vec!["own".to_owned()]);
        assert_eq!(policy.extra_parameters(list).collect::<Vec<_>>(), ["own"]);
        assert_eq!(policy.extra_parameters(create).count(), 0);
        let policy = with_exception(|own| own.allow = false);
        assert_eq!(policy.offers(list), Err(Problem::Own(OwnError::OPERATION_DENIED)));
        assert_eq!(policy.offers(create), Ok(()));
    }

    #[test]
    fn strict_rules_decide_where_they_are_enforced() {
        let list = Some(operation("events.list"));
        for (profile, mode, is_strict, enforced) in [
            (Profile::Strict, Mode::Enforce, true, Profile::Strict),
            (Profile::Strict, Mode::Report, true, Profile::Compatible),
            (Profile::Compatible, Mode::Enforce, false, Profile::Compatible),
        ] {
            let policy = with_exception(|own| {
                own.profile = Some(profile);
                own.mode = Some(mode);
            });
            assert_eq!(policy.is_strict(list), is_strict);
            assert_eq!(policy.enforced_profile(list), enforced);
            assert!(!policy.is_strict(None));
        }
    }

    #[test]
    fn undeclared_parameters_are_treated_as_set_or_by_the_profile() {
        let list = operation("events.list");
        for (profile, set, expected) in [
            (Profile::Compatible, None, UndeclaredParameters::Drop),
            (Profile::Strict, None, UndeclaredParameters::Refuse),
            (
                Profile::Strict,
                Some(UndeclaredParameters::Drop),
                UndeclaredParameters::Drop,
            ),
            (
                Profile::Compatible,
                Some(UndeclaredParameters::Refuse),
                UndeclaredParameters::Refuse,
            ),
        ] {
            let policy = in_force(|policy| {
                policy.profile = profile;
                policy.undeclared = set;
            });
            assert_eq!(policy.undeclared(list), expected);
        }
    }

    #[test]
    fn a_read_only_gateway_offers_reads() {
        let policy = in_force(|policy| policy.read_only = true);
        assert_eq!(policy.offers(operation("events.list")), Ok(()));
        assert_eq!(
            policy.offers(operation("events.create")),
            Err(Problem::Own(OwnError::READ_ONLY))
        );
    }

    #[test]
    fn only_anonymous_writes_lack_credentials() {
        let policy = in_force(|_| {});
        for (name, caller, lacks) in [
            ("events.create", Caller::Anonymous, true),
            ("events.create", Caller::Credentialed, false),
            ("events.list", Caller::Anonymous, false),
        ] {
            assert_eq!(policy.lacks_credentials(operation(name), caller), lacks, "{name}");
        }
        let forwarding = in_force(|policy| policy.writes = Writes::Forward);
        assert!(!forwarding.lacks_credentials(operation("events.create"), Caller::Anonymous));
    }

    #[test]
    fn a_callback_is_a_name_where_scripts_are_allowed() {
        let (closed, open) = (in_force(|_| {}), in_force(|policy| policy.allow_jsonp = true));
        let invalid = Some(Problem::InvalidCallback);
        for (text, by_closed, by_open, is_script) in [
            ("a=b", None, None, false),
            ("_jsonp=", None, None, false),
            ("_jsonp=a.b_$1", Some(Problem::CallbackDisabled), None, true),
            ("_jsonp=a(b)", invalid.clone(), invalid.clone(), true),
            ("_jsonp=a-b", invalid.clone(), invalid.clone(), true),
            ("_jsonp[]=a", invalid.clone(), invalid, false),
        ] {
            let query = query(text);
            assert_eq!(closed.callback_problem(&query), by_closed, "{text}");
            assert_eq!(open.callback_problem(&query), by_open, "{text}");
            assert_eq!(
                (closed.is_script(&query), open.is_script(&query)),
                (false, is_script)
            );
        }
    }

    #[test]
    fn a_root_has_its_addresses_and_words() {
        let mut words = Words::english();
        assert!(words.name(Message::NoRoute, "Keine Route."));
        let policy = in_force(|policy| {
            policy.namespaces = vec!["calendar/events/v1".to_owned()];
            policy.roots.push(ServedRoot {
                words,
                ..ServedRoot::at("/de/wp-json")
            });
        });
        assert_eq!(
            policy.bases(1).collect::<Vec<_>>(),
            ["/de/wp-json/calendar/events/v1"]
        );
        assert!(policy.words(0).is_english() && !policy.words(1).is_english());
        assert!(policy.words(9).is_english());
        let is_public = |name: &str| policy.is_public(query(&format!("n={name}")).get("n").unwrap());
        assert!(is_public("calendar/events/v1") && !is_public("tribe/events/v1"));
    }

    #[test]
    fn t33_an_author_is_found_in_every_record_of_a_write() {
        let closed = in_force(|policy| policy.allow_author = Some(false));
        let open = in_force(|policy| policy.allow_author = Some(true));
        let strict = in_force(|policy| policy.profile = Profile::Strict);
        let compatible = in_force(|_| {});
        for (name, body, is_named) in [
            ("events.create", "author=3", true),
            ("events.create", "title=a", false),
            ("events.create", "venue[author]=3", true),
            ("events.create", "venue[venue]=Hall", false),
            ("events.create", "organizer[0][author]=3", true),
            ("venues.create", "author=3", true),
            ("events.list", "author=3", false),
        ] {
            let mut parameters = Parameters::default();
            parameters.add(Source::Form, query(body));
            let refuses = |policy: &Policy| policy.refuses_author(operation(name), &parameters);
            assert_eq!(refuses(&closed), is_named, "{name} {body}");
            assert_eq!(refuses(&strict), is_named, "{name} {body}");
            assert!(!refuses(&open) && !refuses(&compatible), "{name} {body}");
        }
    }
}
