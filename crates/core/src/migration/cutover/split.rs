//! Rules that would split the records of one kind between two stores.

use crate::settings::{CutMethods, CutoverRule, Percentage, Settings};
use calendar_edge_judge::contract::{Operation, table};

/// The positions of the rules of these settings that split records, each with the way in which it does, although no
/// `same_store` states that there is one store only.
///
/// A rule about reads alone splits nothing: all records are written to one store, and the backend reads a copy of it. A
/// rule that moves writes splits, unless everything that shows these records, and everything that they link, moves with
/// them, for all clients. Events link all other kinds, so that there is one group of records.
pub fn split_stores(settings: &Settings) -> Vec<(usize, String)> {
    let rules = settings.cutover.iter().enumerate();
    let moving = rules.filter(|(_, rule)| !rule.same_store);
    moving
        .filter_map(|(index, rule)| Some((index, split_by(rule, settings)?)))
        .collect()
}

fn split_by(rule: &CutoverRule, settings: &Settings) -> Option<String> {
    let operations = || table().operations().iter();
    let written = operations()
        .filter(|operation| operation.is_write() && is_about(rule, operation))
        .find_map(|operation| operation.id.kind());
    let Some(written) = written else {
        let written_there =
            |other: &CutoverRule| !other.same_store && other.backend == rule.backend && takes_writes(other);
        let is_moved = settings.cutover.iter().any(written_there);
        return returning(rule).filter(|_| is_moved);
    };
    let with_records = operations().filter(|operation| operation.id.kind().is_some());
    let elsewhere = with_records
        .map(|operation| (operation, leads_to(&rule.backend, operation, settings)))
        .find(|(_, leads_there)| !leads_there);
    if let Some((operation, _)) = elsewhere {
        return Some(format!(
            "{} would be written there, and calls of `{}` would still lead to another store",
            written.collection(),
            operation.name
        ));
    }
    returning(rule)
}

const FALLBACK: &str = "a read that fails would get its response from the other store";
const GUARD: &str = "the guard would return calls to the other store";

/// The way in which a rule may return calls of its clients to the site.
fn returning(rule: &CutoverRule) -> Option<String> {
    if rule.fallback {
        return Some(FALLBACK.to_owned());
    }
    rule.guard.as_ref().map(|_| GUARD.to_owned())
}

/// True if a rule takes a write of any kind.
pub(in crate::migration) fn takes_writes(rule: &CutoverRule) -> bool {
    let mut writes = table()
        .operations()
        .iter()
        .filter(|operation| operation.is_write());
    writes.any(|operation| is_about(rule, operation))
}

fn is_about(rule: &CutoverRule, operation: &Operation) -> bool {
    rule.is_about(&operation.name, CutMethods::of(operation.is_write()))
}

/// Returns true if every call of an operation goes to a backend, whatever the client and the root.
fn leads_to(backend: &str, operation: &Operation, settings: &Settings) -> bool {
    for rule in settings.cutover.iter().filter(|rule| is_about(rule, operation)) {
        if rule.backend != backend {
            return false;
        }
        if settings.roots.len() == 1 && rule.share == Percentage::ALL {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{GuardSettings, OperationPattern, Root};

    fn rule(operations: &str, methods: CutMethods) -> CutoverRule {
        CutoverRule {
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse(operations).unwrap()],
            methods,
            ..CutoverRule::default()
        }
    }

    fn faults(rules: &[CutoverRule]) -> Vec<(usize, String)> {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        settings.cutover = rules.to_vec();
        split_stores(&settings)
    }

    /// The operation whose calls lead to another store, by the first of the faults.
    fn elsewhere(faults: &[(usize, String)]) -> Option<&str> {
        let (_, reason) = faults.first()?;
        let (_, named) = reason.split_once("calls of `")?;
        Some(named.split_once("` would still lead")?.0)
    }

    #[test]
    fn reads_of_a_copy_split_nothing() {
        let reads = CutoverRule {
            share: Percentage::parse("10%").unwrap(),
            fallback: true,
            ..rule("venues.*", CutMethods::Reads)
        };
        assert!(faults(&[reads]).is_empty());
    }

    #[test]
    fn writes_move_with_everything_or_not_at_all() {
        assert_eq!(
            elsewhere(&faults(&[rule("venues.*", CutMethods::Writes)])),
            Some("events.list")
        );
        assert!(elsewhere(&faults(&[rule("venues.*", CutMethods::All)])).is_some());
        assert!(elsewhere(&faults(&[rule("events.create", CutMethods::All)])).is_some());
        assert!(elsewhere(&faults(&[rule("*", CutMethods::Writes)])).is_some());
        assert!(faults(&[rule("*", CutMethods::All)]).is_empty());
        assert!(faults(&[rule("*", CutMethods::Writes), rule("*", CutMethods::Reads)]).is_empty());
    }

    #[test]
    fn a_part_of_the_clients_splits() {
        let part = CutoverRule {
            share: Percentage::parse("99%").unwrap(),
            ..rule("*", CutMethods::All)
        };
        assert!(elsewhere(&faults(std::slice::from_ref(&part))).is_some());
        assert!(
            faults(&[part.clone(), rule("*", CutMethods::All)]).is_empty(),
            "the second one takes the rest"
        );
        let other = CutoverRule {
            backend: "other".to_owned(),
            ..rule("tags.list", CutMethods::Reads)
        };
        assert_eq!(
            elsewhere(&faults(&[other, rule("*", CutMethods::All)])),
            Some("tags.list")
        );
    }

    #[test]
    fn a_fallback_would_read_from_the_other_store() {
        let falling = CutoverRule {
            fallback: true,
            ..rule("*", CutMethods::All)
        };
        assert_eq!(faults(std::slice::from_ref(&falling)), [(0, FALLBACK.to_owned())]);
        let reads = CutoverRule {
            fallback: true,
            ..rule("*", CutMethods::Reads)
        };
        assert_eq!(
            faults(&[rule("*", CutMethods::Writes), reads]),
            [(1, FALLBACK.to_owned())]
        );
        let guarded = CutoverRule {
            guard: Some(GuardSettings::default()),
            ..rule("*", CutMethods::All)
        };
        assert_eq!(faults(&[guarded]), [(0, GUARD.to_owned())]);
    }

    #[test]
    fn one_store_cannot_be_split() {
        for operations in ["venues.*", "events.create", "*"] {
            for methods in [CutMethods::Reads, CutMethods::Writes, CutMethods::All] {
                let one_store = CutoverRule {
                    same_store: true,
                    fallback: true,
                    share: Percentage::parse("1%").unwrap(),
                    ..rule(operations, methods)
                };
                assert!(faults(&[one_store]).is_empty());
            }
        }
    }

    #[test]
    fn roots_that_the_backend_does_not_serve_stay_behind() {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        settings.cutover = vec![rule("*", CutMethods::All)];
        assert!(split_stores(&settings).is_empty());
        settings.roots.push(Root {
            path: "/de/wp-json".to_owned(),
            ..settings.roots[0].clone()
        });
        assert_eq!(split_stores(&settings).len(), 1);
    }
}
