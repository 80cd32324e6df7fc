//! The rules that are about a call, in their order.

use std::collections::HashSet;

use crate::settings::{CandidateSettings, CredentialsPolicy, CutMethods, CutoverRule, Settings};
use calendar_edge_judge::contract::Operation;

/// The rules of some settings.
#[derive(Debug, Clone)]
pub struct CutoverPlan {
    rules: Vec<CutoverRule>,
    /// The backends that get credentials, or identities.
    trusted: HashSet<String>,
}

/// The facts about a call that rules depend on.
#[derive(Debug, Clone, Copy)]
pub struct CutoverCall<'a> {
    /// The operation.
    pub operation: &'a Operation,
    /// The REST root: an index into [`Settings::roots`].
    pub root: usize,
    /// True if it has credentials or the password of a post.
    pub is_personal: bool,
}

// === impl CutoverPlan ===

impl CutoverPlan {
    /// The rules of these settings; none if there is no rule.
    pub fn new(settings: &Settings) -> Option<Self> {
        let trusts = |backend: &&CandidateSettings| backend.credentials != CredentialsPolicy::Withhold;
        let trusted = settings.backends.iter().filter(trusts);
        (!settings.cutover.is_empty()).then(|| Self {
            rules: settings.cutover.clone(),
            trusted: trusted.map(|backend| backend.name.clone()).collect(),
        })
    }

    /// The rules that are about a call, with their positions; the first one whose share has its client takes it.
    pub fn rules_about<'a>(
        &'a self,
        call: CutoverCall<'a>,
    ) -> impl Iterator<Item = (usize, &'a CutoverRule)> {
        let rules = self.rules.iter().enumerate();
        rules.filter(move |(_, rule)| self.is_about(rule, call))
    }

    fn is_about(&self, rule: &CutoverRule, call: CutoverCall<'_>) -> bool {
        rule.is_about(&call.operation.name, CutMethods::of(call.operation.is_write()))
            && call.is_served()
            && (!call.is_personal || self.takes_credentials(rule))
    }

    /// A rule that takes writes lets their credentials go to the backend.
    fn takes_credentials(&self, rule: &CutoverRule) -> bool {
        rule.methods != CutMethods::Reads || self.trusted.contains(&rule.backend)
    }
}

// === impl CutoverCall ===

impl CutoverCall<'_> {
    /// A further backend serves the first root.
    pub(in crate::migration) const fn is_served(&self) -> bool {
        self.root == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{OperationPattern, Root};
    use calendar_edge_judge::contract::table;

    fn settings() -> Settings {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        let next = "http://next.example/api".parse().unwrap();
        settings
            .backends
            .push(CandidateSettings::at("next".to_owned(), next));
        settings.roots[0].language = Some("de".to_owned());
        settings.roots.push(Root {
            path: "/en/wp-json".to_owned(),
            language: Some("en".to_owned()),
            ..settings.roots[0].clone()
        });
        settings
    }

    fn rule(operations: &str, methods: CutMethods) -> CutoverRule {
        CutoverRule {
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse(operations).unwrap()],
            methods,
            ..CutoverRule::default()
        }
    }

    fn about(settings: &Settings, operation: &str, root: usize, is_personal: bool) -> Vec<usize> {
        let call = CutoverCall {
            operation: table().named(operation).unwrap(),
            root,
            is_personal,
        };
        let plan = CutoverPlan::new(settings).unwrap();
        plan.rules_about(call).map(|(index, _)| index).collect()
    }

    #[test]
    fn rules_are_about_operations_methods_and_the_root_that_is_served() {
        let mut settings = settings();
        assert!(CutoverPlan::new(&settings).is_none());
        settings.cutover = vec![
            rule("venues.list", CutMethods::Reads),
            rule("venues.*", CutMethods::Writes),
            rule("*", CutMethods::All),
        ];
        assert_eq!(about(&settings, "venues.list", 0, false), [0, 2]);
        assert_eq!(about(&settings, "venues.create", 0, false), [1, 2]);
        assert_eq!(about(&settings, "events.list", 0, false), [2]);
        assert!(
            about(&settings, "venues.list", 1, false).is_empty(),
            "another root"
        );
    }

    #[test]
    fn credentials_stay_with_the_site_unless_the_settings_say_more() {
        let mut settings = settings();
        settings.cutover = vec![rule("*", CutMethods::Reads)];
        assert!(about(&settings, "venues.list", 0, true).is_empty());
        for policy in [CredentialsPolicy::Forward, CredentialsPolicy::Identity] {
            settings.backends[0].credentials = policy;
            assert_eq!(about(&settings, "venues.list", 0, true), [0], "{policy:?}");
        }
        settings.backends[0].credentials = CredentialsPolicy::Withhold;
        settings.cutover[0].methods = CutMethods::All;
        assert_eq!(about(&settings, "venues.list", 0, true), [0]);
    }
}
