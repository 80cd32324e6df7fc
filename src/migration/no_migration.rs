//! The migration of a build without it: nothing is found out, and operators are told nothing.

use bytes::Bytes;

use super::migration_status::MigrationStatus;
use crate::cache::Cache;
use crate::telemetry::Metrics;
use calendar_edge_core::settings::Settings;

/// No backend beside the site, and no rule. The configuration refuses both.
#[derive(Debug, Clone)]
pub(crate) struct NoMigration;

impl NoMigration {
    pub(crate) fn new(_: &Settings, _: &Cache, _: &Metrics) -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(crate) fn adapt(&self, _: &Settings) {}

    /// No page.
    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(crate) fn page(&self, _: &str, _: Option<&str>) -> Option<Bytes> {
        None
    }

    /// No rule of any name.
    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(crate) fn resume(&self, _: &str) -> Option<bool> {
        None
    }

    /// Never: there is no rule.
    pub(crate) async fn news(&self) {
        std::future::pending::<()>().await;
    }

    /// Nobody waits for news.
    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(crate) const fn have_news(&self) {}

    /// Nothing is to be written.
    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(crate) const fn write_again(&self) {}

    #[expect(clippy::unused_self, reason = "as in builds with migration")]
    pub(crate) fn status(&self) -> MigrationStatus {
        MigrationStatus::default()
    }
}
