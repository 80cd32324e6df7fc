//! What `check` says, in its order: of the settings alone, of the site, and of what stands beside it.

use calendar_edge::app::TlsIdentity;
use calendar_edge::backend::with_listed_namespace;
use calendar_edge::telemetry::with_causes;
use calendar_edge_core::settings::{BackendSettings, OriginNamespace, Root, Settings};
use calendar_edge_judge::contract::drift::compare_index;

use super::addresses::home_path;
use super::obstacle::{Obstacle, ObstacleKind};
use super::probe::Probe;
use super::probe_response::ProbeResponse;
use super::site_table::in_force;
use super::survey_report::Report;
use super::versions::versions;
use super::{
    backends, collector, dated_rows, editors, empty_pages, feed, fleet_store, groups, guarded_rules, home,
    languages, named_address, open_settings, second_routes, surface_list, wall,
};

/// Says what the settings show; false: the certificate cannot be used, so that nothing can be served.
pub(crate) fn check_settings(settings: &Settings, report: &mut Report<'_>) -> bool {
    if let Some(reason) = named_address::unreachable_names(settings) {
        report.warning(reason);
    }
    for setting in open_settings::open_settings(settings) {
        report.loud(setting);
    }
    match settings.tls.as_ref().map(TlsIdentity::load) {
        None => {}
        Some(Ok(_)) => report.ok("the certificate and its key"),
        Some(Err(error)) => {
            report.unusable(with_causes(&error));
            return false;
        }
    }
    feed::name(settings, report);
    surface_list::name(settings, report);
    true
}

/// Names what would be asked, without asking.
pub(crate) fn check_offline(settings: &Settings, report: &mut Report<'_>) {
    if settings.origin.mark_key.is_none() {
        unguarded(settings, report);
    }
    collector::name(&settings.traces, report);
    fleet_store::name(&settings.fleet, report);
}

/// Asks the site, its other backends, the store of the fleet and the collector.
///
/// # Errors
/// When no client can be made.
pub(crate) async fn check_online(settings: Settings, report: &mut Report<'_>) -> Result<(), Obstacle> {
    let (traces, fleet) = (settings.traces.clone(), settings.fleet.clone());
    Box::pin(check_site(settings, report)).await?;
    fleet_store::ask(&fleet, report).await;
    collector::ask(&traces, report).await;
    Ok(())
}

/// Asks every root, each backend, and the home page where the edge serves it.
///
/// # Errors
/// When no client can be made.
async fn check_site(settings: Settings, report: &mut Report<'_>) -> Result<(), Obstacle> {
    let settings = &learn_namespace(settings, report).await;
    let site = &settings.site();
    let probe = Probe::of_site(site)?;
    let home = probe.page(&home_path(&site.origin.url)).await;
    let page = home.as_ref().map(ProbeResponse::text).unwrap_or_default();
    let versions = versions(&probe, site, &page).await;
    let mut is_guarded = true;
    for root in &site.roots {
        is_guarded &= check_root(root, settings, site, &versions, report).await?;
    }
    for backend in settings.candidates() {
        backends::check_backend(&backend, site, report).await?;
        backends::check_way_back(&backend, settings, report).await;
    }
    check_basic_auth(site, report).await?;
    languages::check_languages(&probe, site, home.as_ref().ok(), report).await;
    if guarded_rules::forwards_unjudged(settings) {
        if !is_guarded {
            unguarded(settings, report);
        }
        home::check_home(&home, &probe, site, report);
        empty_pages::ask(settings, site, report).await?;
        let rules = guarded_rules::circumvented(settings);
        for root in &settings.roots {
            editors::tell(root, site, &rules, report).await?;
        }
    }
    Ok(())
}

/// Takes the namespace that the site lists, as `serve` does, if the settings do not name one.
async fn learn_namespace(settings: Settings, report: &mut Report<'_>) -> Settings {
    let settings = with_listed_namespace(settings).await;
    if let OriginNamespace::Listed(namespace) = &settings.origin.namespace {
        report.ok(format!(
            "the site lists the namespace {namespace}, which is used while `origin.namespace` is not set"
        ));
    }
    settings
}

/// Asks one root, and returns whether the companion plugin guards it.
async fn check_root(
    root: &Root,
    settings: &Settings,
    site: &BackendSettings,
    (plugin, wordpress): &(String, String),
    report: &mut Report<'_>,
) -> Result<bool, Obstacle> {
    let (path, url) = (&root.path, &root.origin_url);
    let key = if url == &settings.origin.url {
        "origin.url"
    } else {
        "roots.origin_url"
    };
    let probe = Probe::of_root(site, url, key)?;
    let index = match probe.index().await {
        Ok(index) => index,
        Err(obstacle) => {
            report.unusable(format!("{path}: {url}: {obstacle}"));
            // A guard that refuses the edge refuses others as well.
            return Ok(obstacle.kind == ObstacleKind::MarkRefused);
        }
    };
    let namespace = &settings.origin.namespace;
    let in_force = in_force(&index, &probe, namespace).await;
    let shown = in_force.site_version();
    report.ok(format!(
        "{path}: The Events Calendar {plugin} ({shown}), WordPress {wordpress}"
    ));
    dated_rows::tell(root, plugin, &in_force, report);
    dated_rows::tell_unknown(&probe, path, plugin, report).await;
    second_routes::tell(&probe, root, settings, report).await;
    groups::tell(
        &compare_index(&index, namespace),
        path,
        &in_force,
        settings,
        report,
    );
    Ok(settings.origin.mark_key.is_some() && wall::check_wall(&probe, site, path, report).await)
}

/// Says if WordPress takes the credentials of the web server for those of an account: then every visitor would be that
/// account, and see what it sees.
async fn check_basic_auth(site: &BackendSettings, report: &mut Report<'_>) -> Result<(), Obstacle> {
    if site.origin.basic_auth.is_none() {
        return Ok(());
    }
    let probe = Probe::of_root(site, &site.origin.url, "origin.url")?;
    if probe.json("wp/v2/users/me").await.is_some() {
        report.unusable(
            "WordPress takes the credentials of `origin.basic_auth_file` for an account, so that every visitor would be that \
             account: give the web server a name that WordPress does not have",
        );
    }
    Ok(())
}

/// Says which rules do not hold without the companion plugin.
fn unguarded(settings: &Settings, report: &mut Report<'_>) {
    if !guarded_rules::forwards_unjudged(settings) {
        return;
    }
    report.warning(guarded_rules::unguarded(settings));
    for key in guarded_rules::circumvented(settings) {
        report.void(format!(
            "`{key}` does not protect the site: requests around the edge are not held to it"
        ));
    }
}
