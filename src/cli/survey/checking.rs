//! Sends the requests that the checks of `check` need, and those to the other servers of a configuration.

use calendar_edge::app::{StoreReport, TlsIdentity, try_store};
use calendar_edge::backend::with_listed_namespace;
use calendar_edge::telemetry::with_causes;
use calendar_edge_core::settings::Settings;
use calendar_edge_core::survey::LineKind::{Differs, Note, Ok as Fine, Unusable, Void, Warning};
use calendar_edge_core::survey::{CheckLine, check_settings, check_site, store};
use tokio::time::{Instant, timeout_at};

use super::asker::survey;
use super::unsafe_settings::others_may_read;

/// The findings about the settings; nothing can be served if a line is unusable, because the certificate is.
pub(crate) fn check_alone(settings: &Settings) -> Vec<CheckLine> {
    let mut lines = check_settings(settings, others_may_read);
    let certificate = settings.tls.as_ref().map(TlsIdentity::load);
    lines.extend(certificate.map(|loaded| match loaded {
        Ok(_) => Fine.line("the certificate and its key"),
        Err(error) => Unusable.line(with_causes(&error)),
    }));
    lines
}

/// The findings about the site, its other backends and the store of the fleet until this moment.
pub(crate) async fn check_online(settings: Settings, until: Instant) -> Vec<CheckLine> {
    let listed = timeout_at(until, with_listed_namespace(settings.clone()));
    let settings = &listed.await.unwrap_or(settings);
    let judge = |responses: &_, lines: &mut Vec<_>| lines.extend(check_site(responses, settings));
    let (((), mut lines), store) =
        tokio::join!(survey(until, judge), timeout_at(until, try_fleet_store(settings)),);
    let is_late = |_| vec![Void.line("the store of the fleet has not responded in time")];
    lines.extend(store.unwrap_or_else(is_late));
    lines
}

/// Tries the store, and reports the rights that its user needs. The edge works without it, but then each edge acts
/// alone, which was not configured.
async fn try_fleet_store(settings: &Settings) -> Vec<CheckLine> {
    let store = store(settings);
    let Some(StoreReport {
        fleet,
        rights,
        server,
    }) = try_store(&settings.fleet).await
    else {
        return Vec::new();
    };
    let mut lines = match server {
        Ok((server, warnings)) => {
            let fit = Fine.line(format!("{store}: {server} runs what the fleet `{fleet}` needs"));
            let warnings = warnings.iter().map(|warning| Warning.line(warning));
            std::iter::once(fit).chain(warnings).collect()
        }
        Err(trouble) => vec![Differs.line(format!("{store}: edges would act alone: {trouble}"))],
    };
    lines.push(Note.line(format!("the rights of the user at the store: {rights}")));
    lines
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Duration;

    use calendar_edge_core::settings::OriginNamespace;
    use calendar_edge_core::survey::{LineKind, SiteRequest};

    use super::super::find;
    use super::*;

    /// A site that takes connections and never responds.
    fn silent() -> (TcpListener, Settings) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let root = format!("http://{}/wp-json", listener.local_addr().expect("an address"));
        let mut settings = Settings::for_origin(root.parse().expect("a URL"));
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        (listener, settings)
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(300)
    }

    #[tokio::test]
    async fn the_check_of_a_slow_site_ends_in_time_and_says_what_it_does_not_know() {
        let (_listener, settings) = silent();
        let begun = Instant::now();
        let lines = check_online(settings, soon()).await;
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        let says = |kind: LineKind, words: &str| {
            let found = lines
                .iter()
                .any(|line| line.kind == kind && line.text.contains(words));
            assert!(found, "{words} is not in {lines:#?}");
        };
        says(Unusable, "the site has not responded to all requests in time");
        says(
            Void,
            "requests had no response in time, so that what they would show is not known",
        );
        assert!(lines.iter().all(|line| line.kind > Fine), "{lines:#?}");
    }

    #[tokio::test]
    async fn a_slow_site_is_not_configured() {
        let (_listener, settings) = silent();
        let request = SiteRequest {
            address: settings.origin.url.join("/").expect("a URL"),
            namespace: None,
            public_url: None,
            access: settings.origin,
            named: None,
        };
        let (found, lines) = find(&request, soon()).await;
        let obstacle = found.expect_err("no site").to_string();
        assert!(
            obstacle.contains("run this again when it is faster"),
            "{obstacle}"
        );
        assert_eq!(lines.len(), 1, "{lines:#?}");
    }
}
