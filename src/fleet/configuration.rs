//! The hash by which edges compare their configurations.

use calendar_edge_core::settings::{FleetSettings, OriginNamespace, Settings};
use ring::digest::{SHA256, digest};

/// The hash of what all edges of a fleet should have alike. Addresses, files and logs may differ, and what an edge
/// learnt of its site is no setting.
pub(super) fn hash(settings: &Settings) -> String {
    let mut common = settings.clone();
    let operations = std::mem::take(&mut common.operations);
    let mut operations: Vec<String> = operations
        .iter()
        .map(|operation| format!("{operation:?}"))
        .collect();
    operations.sort_unstable();
    if !common.origin.namespace.is_set() {
        common.origin.namespace = OriginNamespace::default();
    }
    common.origin.index_file = None;
    let site = Settings::for_origin(common.origin.url.clone());
    let common = Settings {
        listen: Vec::new(),
        admin: site.admin,
        tls: None,
        state_dir: None,
        log: site.log,
        fleet: FleetSettings {
            members: common.fleet.members,
            ..FleetSettings::default()
        },
        ..common
    };
    let digest = digest(&SHA256, format!("{common:?}{operations:?}").as_bytes());
    let bytes = digest.as_ref().iter().take(6);
    let number = bytes.fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{number:012x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_differ_does_not_count() {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        let one = hash(&settings);
        settings.listen = Vec::new();
        settings.state_dir = Some("/var/lib/x".into());
        settings.origin.namespace = OriginNamespace::listed("tribe/events/v1");
        assert_eq!(hash(&settings), one);
        settings.origin.max_in_flight += 1;
        assert_ne!(hash(&settings), one);
        assert_eq!(one.len(), 12);
    }
}
