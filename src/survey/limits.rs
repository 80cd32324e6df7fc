//! The longest request target and header that the server of a site takes, as far as the edge would send them.

use calendar_edge_core::settings::BackendSettings;
use url::Url;

use super::obstacle::Obstacle;
use super::probe::Probe;
use super::probe_response::ProbeResponse;
use super::survey_report::Report;
use super::trouble::Trouble;

/// What the server takes where it is less than the edge's own limits, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ServerLimits {
    pub(crate) target_bytes: Option<usize>,
    pub(crate) header_bytes: Option<usize>,
}

/// Sizes of targets that are tried. The first is the edge's default; servers often allow 8 KiB with method and version.
const TARGETS: [usize; 4] = [8192, 8000, 4096, 2048];

/// Sizes of header values that are tried. The first is the edge's default.
const HEADERS: [usize; 4] = [16_384, 8000, 4096, 2048];

/// A header and a parameter that nothing reads.
const NAME: &str = "x-calendar-edge-length";

/// Asks the server, from the largest size down.
pub(super) async fn server_limits(
    site: &BackendSettings,
    report: &mut Report<'_>,
) -> Result<ServerLimits, Obstacle> {
    let probe = Probe::of_site(site).map_err(Obstacle::Client)?;
    let page = question(&site.origin.url, &site.origin.namespace);
    let target_bytes = longest(TARGETS, async |size: usize| {
        let letters = size.saturating_sub(page.len() + NAME.len() + 2);
        probe
            .page(&format!("{page}&{NAME}={}", "x".repeat(letters)))
            .await
    });
    let target_bytes = target_bytes.await;
    let header_bytes = longest(HEADERS, async |size: usize| {
        probe.page_with(&page, (NAME, &"x".repeat(size))).await
    });
    let found = ServerLimits {
        target_bytes,
        header_bytes: header_bytes.await,
    };
    for (what, size) in [
        ("request targets", found.target_bytes),
        ("headers", found.header_bytes),
    ] {
        if let Some(size) = size {
            report.note(&format!(
                "the server takes {what} of up to about {size} bytes, fewer than the edge's default"
            ))?;
        }
    }
    Ok(found)
}

/// A small answer of the namespace.
fn question(root: &Url, namespace: &str) -> String {
    let root = root.path().trim_end_matches('/');
    format!("{root}/{namespace}?_fields=namespace")
}

/// The first size that is answered; none if that is the largest, or if none is.
async fn longest(
    sizes: [usize; 4],
    ask: impl AsyncFn(usize) -> Result<ProbeResponse, Trouble>,
) -> Option<usize> {
    let [largest, smaller @ ..] = sizes;
    let is_taken = async |size: usize| ask(size).await.is_ok_and(|answer| answer.status.is_success());
    if is_taken(largest).await {
        return None;
    }
    for size in smaller {
        if is_taken(size).await {
            return Some(size);
        }
    }
    None
}
