//! Whether the settings of a fleet name a store that can be reached, and a secret.

use super::draft::Placed;
use super::problem::{Complaint, ConfigFinding, ConfigProblems, Impossible};
use calendar_edge_core::settings::{FleetSettings, Settings, StoreAddress};

const STORE: &str = "fleet.store";
const MASTER: &str = "fleet.master";
const CLUSTER: &str = "fleet.cluster";
const SENTINEL_USER: &str = "fleet.sentinel_user";
const SENTINEL_PASSWORD: &str = "fleet.sentinel_password_file";

/// The keys of a fleet that mean nothing without a store.
const OTHERS: [&str; 13] = [
    MASTER,
    "fleet.user",
    "fleet.password_file",
    SENTINEL_USER,
    SENTINEL_PASSWORD,
    "fleet.ca_file",
    "fleet.certificate_file",
    "fleet.key_file",
    "fleet.secret_file",
    "fleet.name",
    "fleet.interval",
    "fleet.members",
    "fleet.advertise",
];

/// Addresses, secret and certificate fit each other.
pub(super) fn check(typed: &Placed<Settings>, problems: &mut ConfigProblems) {
    let (fleet, places) = (&typed.value.fleet, &typed.places);
    if !fleet.is_set() {
        // A problem of the address itself is recorded already.
        let other = OTHERS.iter().find_map(|key| places.typed(key));
        if let (Some(place), None) = (other, places.typed(STORE)) {
            problems.add(place, Complaint::Missing(STORE));
        }
        return;
    }
    if fleet.secret_file.is_none() && typed.value.origin.secret_file.is_none() {
        let finding = ConfigFinding::from(Complaint::Missing("fleet.secret_file"))
            .expected("a file with a secret of the fleet, or `origin.secret_file`");
        problems.add(places.of(STORE), finding);
    }
    for (one, other) in [
        ("fleet.certificate_file", "fleet.key_file"),
        ("fleet.key_file", "fleet.certificate_file"),
    ] {
        if let (Some(place), None) = (places.typed(one), places.typed(other)) {
            problems.add(place, Complaint::Missing(other));
        }
    }
    if let Some((key, reason)) = impossible(fleet) {
        problems.add(places.of(key), ConfigFinding::impossible(key, reason));
    }
    let is_sentinel = fleet.store.iter().any(StoreAddress::is_sentinel);
    if is_sentinel && fleet.master.is_none() {
        let finding = ConfigFinding::from(Complaint::Missing(MASTER))
            .expected("the name by which the Sentinels know the server, like \"mymaster\"");
        problems.add(places.of(STORE), finding);
    }
}

/// The setting that cannot be as it is beside the others.
fn impossible(fleet: &FleetSettings) -> Option<(&'static str, Impossible)> {
    let sentinels = fleet.store.iter().filter(|address| address.is_sentinel()).count();
    let has_database =
        |address: &StoreAddress| matches!(address, StoreAddress::Server { database, .. } if *database != 0);
    if fleet.cluster && cfg!(not(feature = "cluster")) {
        return Some((CLUSTER, Impossible::NotBuiltIn("cluster")));
    }
    if fleet.cluster && sentinels > 0 {
        return Some((CLUSTER, Impossible::Beside(MASTER)));
    }
    if fleet.cluster && fleet.store.iter().any(has_database) {
        return Some((STORE, Impossible::ClusterDatabase));
    }
    let are_one_kind = sentinels == fleet.store.len() || sentinels == 0;
    if !are_one_kind || (fleet.store.len() > 1 && sentinels == 0 && !fleet.cluster) {
        return Some((STORE, Impossible::SeveralStores));
    }
    let of_sentinels = [
        (MASTER, fleet.master.is_some()),
        (SENTINEL_USER, fleet.sentinel_user.is_some()),
        (SENTINEL_PASSWORD, fleet.sentinel_password_file.is_some()),
    ];
    let mut typed = of_sentinels.into_iter().filter(|_| sentinels == 0);
    let (key, _) = typed.find(|(_, is_typed)| *is_typed)?;
    Some((key, Impossible::Beside(STORE)))
}
