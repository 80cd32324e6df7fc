//! Reads the configuration again on a signal, or when one of its files has changed.

use std::sync::Arc;

use super::file_watch::FileWatch;
use super::reload::{ReloadError, Reloader};
use super::signals::Signals;
use crate::config::ConfigSource;
use crate::server::service_manager::ServiceManager;
use crate::telemetry::{LogFilter, with_causes};

/// The source of an edge's settings for a reload, and the parts outside the edge that follow them.
#[derive(Debug)]
pub struct Reload {
    /// The file, and what is stronger than it.
    pub source: ConfigSource,
    /// The state of the file before it was read for the start.
    pub seen: FileWatch,
    /// The process's log, whose filter follows the settings.
    pub log: LogFilter,
}

/// The status for the service manager after a new configuration was taken, and after one was refused.
const TAKEN: &str = "Serving; the configuration was reloaded";
const REFUSED: &str = "Serving with the old configuration: the new one is refused, the log has the reason";

/// Reads the configuration again at every order and at every change of its files; never ends.
pub(super) async fn follow(reloader: Reloader, reload: Reload, mut sighup: Signals, manager: ServiceManager) {
    let reload = Arc::new(reload);
    let Some(file) = reload.source.file() else {
        loop {
            sighup.ordered().await;
            manager.reloading();
            tracing::info!("there is no configuration file to read again");
            manager.ready("Serving; there is no configuration file to read again");
        }
    };
    // The start waits for the site, and the file may have been changed meanwhile.
    let mut watch = reload.seen.clone();
    watch.replace(reloader.files(file)).await;
    loop {
        let cause = tokio::select! {
            () = sighup.ordered() => "SIGHUP",
            () = watch.changed() => "file",
        };
        // Looked at before they are read: a change in between is seen later, at worst once too often.
        watch.look().await;
        manager.reloading();
        manager.ready(run(&reloader, &reload, cause).await);
        watch.replace(reloader.files(file)).await;
    }
}

/// Reading files and making clients may take a while: no other task waits for it.
async fn run(reloader: &Reloader, reload: &Arc<Reload>, cause: &'static str) -> &'static str {
    let (this, reload) = (reloader.clone(), Arc::clone(reload));
    let done = tokio::task::spawn_blocking(move || read_again(&this, &reload, cause));
    done.await.unwrap_or_else(|_| {
        reloader.metrics().reloads().failed();
        tracing::error!("reading the configuration again failed, the old one stays");
        REFUSED
    })
}

fn read_again(reloader: &Reloader, reload: &Reload, cause: &'static str) -> &'static str {
    match take(reloader, reload) {
        Ok(pinned) => {
            reloader.metrics().reloads().succeeded();
            tracing::info!(cause, "the configuration was reloaded");
            if !pinned.is_empty() {
                let settings = pinned.join(", ");
                tracing::warn!(
                    settings,
                    "changed settings that need a restart keep their old values"
                );
            }
            TAKEN
        }
        Err(error) => {
            reloader.metrics().reloads().failed();
            let told = with_causes(&error);
            tracing::error!(
                cause,
                error = told,
                "the new configuration is refused, the old one stays"
            );
            if !matches!(error, ReloadError::Certificate(_)) {
                renew_certificate(reloader);
            }
            REFUSED
        }
    }
}

/// All new settings, or none of them.
fn take(reloader: &Reloader, reload: &Reload) -> Result<Vec<&'static str>, ReloadError> {
    let settings = reload.source.load()?;
    let pinned = reloader.replace(settings, |settings| {
        reload.log.replace(&settings.log.filter)?;
        Ok(())
    })?;
    reload.source.warn_of_hidden();
    Ok(pinned)
}

/// A certificate must not expire because of a mistake in the configuration beside it.
fn renew_certificate(reloader: &Reloader) {
    match reloader.renew_certificate() {
        Ok(false) => {}
        Ok(true) => tracing::info!("the certificate alone was renewed"),
        Err(error) => {
            let error = with_causes(&error);
            tracing::error!(error, "the new certificate is refused, the old one stays");
        }
    }
}
