//! Checks that the settings of a fleet name a store that can be reached, and a secret.

use crate::settings::{
    ConfigFinding, ConfigProblems, Draft, FleetSettings, SettingsGroup as _, StoreAddress, no_effect_beside,
};

const STORE: &str = "fleet.store";
const MASTER: &str = "fleet.master";
const SENTINEL_PASSWORD: &str = "fleet.sentinel_password_file";

/// Addresses, secret and certificate fit each other.
pub fn check_settings(draft: &Draft, problems: &mut ConfigProblems) {
    let (fleet, places) = (&draft.settings.fleet, &draft.places);
    if !fleet.is_set() {
        // A problem of the address itself is recorded already.
        let mut others = FleetSettings::default().names().into_iter();
        let other = others.find_map(|name| places.table(0).typed(&format!("fleet.{name}")));
        if let (Some(place), None) = (other, places.typed(STORE)) {
            problems.add(place, ConfigFinding::missing(STORE));
        }
        return;
    }
    if fleet.secret_file.is_none() && draft.settings.origin.secret_file.is_none() {
        let finding = ConfigFinding::missing("fleet.secret_file")
            .expected("a file with a secret of the fleet, or `origin.secret_file`");
        problems.add(places.of(STORE), finding);
    }
    for (one, other) in [
        ("fleet.certificate_file", "fleet.key_file"),
        ("fleet.key_file", "fleet.certificate_file"),
    ] {
        if let (Some(place), None) = (places.typed(one), places.typed(other)) {
            problems.add(place, ConfigFinding::missing(other));
        }
    }
    if let Some((key, reason)) = impossible(fleet) {
        problems.add(places.of(key), ConfigFinding::impossible(key, reason));
    }
    let is_sentinel = fleet.store.iter().any(StoreAddress::is_sentinel);
    if is_sentinel && fleet.master.is_none() {
        let finding = ConfigFinding::missing(MASTER)
            .expected("the name of the server at the Sentinels, like \"mymaster\"");
        problems.add(places.of(STORE), finding);
    }
}

/// The setting that cannot be as it is beside the others.
fn impossible(fleet: &FleetSettings) -> Option<(&'static str, String)> {
    let sentinels = fleet.store.iter().filter(|address| address.is_sentinel()).count();
    if fleet.store.len() > 1 && sentinels < fleet.store.len() {
        return Some((STORE, "several addresses are all Sentinels".to_owned()));
    }
    let of_sentinels = [
        (MASTER, fleet.master.is_some()),
        (SENTINEL_PASSWORD, fleet.sentinel_password_file.is_some()),
    ];
    let mut typed = of_sentinels.into_iter().filter(|_| sentinels == 0);
    let (key, _) = typed.find(|(_, is_typed)| *is_typed)?;
    Some((key, no_effect_beside(STORE)))
}
