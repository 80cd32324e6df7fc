//! New settings in the place of old ones, whole or not at all, while the edge runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;

use super::orders::HangUps;
use super::watch::FileWatch;
use crate::admin::Pages;
use crate::config::{ConfigError, Settings, Source};
use crate::gateway::Gateway;
use crate::layers::{self, CurrentStack};
use crate::server::{Protocol, Slots};
use crate::telemetry::{LogError, LogFilter, Metrics};
use crate::upstream::ClientError;

/// Gives a running edge new settings.
#[derive(Debug, Clone)]
pub struct Reloader {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    kept: Mutex<Kept>,
    stack: CurrentStack,
    protocol: Arc<ArcSwap<Protocol>>,
    pages: Arc<ArcSwap<Pages>>,
    slots: Slots,
    metrics: Metrics,
}

/// What the next settings are compared with, and what they take over.
#[derive(Debug)]
struct Kept {
    settings: Settings,
    gateway: Gateway,
}

/// Where an edge's settings are read again.
#[derive(Debug)]
pub struct Reload {
    /// The file, and what is stronger than it.
    pub source: Source,
    /// The process's log, whose filter follows the settings.
    pub log: LogFilter,
}

/// Why new settings were refused; the old ones stay, all of them.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The configuration is wrong.
    #[error(transparent)]
    Configuration(#[from] ConfigError),
    /// The way to the origin could not be set up.
    #[error(transparent)]
    Upstream(#[from] ClientError),
    /// The log cannot be filtered like that.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// What made an edge read its configuration again.
#[derive(Debug, Clone, Copy)]
enum Cause {
    HangUp,
    File,
}

// === impl Reloader ===

impl Reloader {
    pub(super) fn new(settings: Settings, gateway: Gateway, metrics: Metrics) -> Self {
        metrics.reloads().loaded();
        let stack = layers::stack(&settings, &metrics, gateway.clone());
        let protocol = Protocol::new(&settings.limits, &settings.timeouts, &settings.http2);
        let inner = Inner {
            stack: CurrentStack::new(stack),
            protocol: Arc::new(ArcSwap::from_pointee(protocol)),
            pages: Arc::new(ArcSwap::from_pointee(Pages::new(&settings))),
            slots: Slots::new(settings.limits.connections),
            metrics,
            kept: Mutex::new(Kept { settings, gateway }),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Puts these settings in the place of the old ones: requests that run keep theirs, those to come meet
    /// the new ones, and no connection ends.
    ///
    /// Listeners stay as they are. The names of changed settings that need a restart are returned.
    ///
    /// # Errors
    ///
    /// When something cannot be made of the settings; then nothing has changed.
    pub fn apply(&self, settings: Settings) -> Result<Vec<&'static str>, ReloadError> {
        self.replace(settings, |_| Ok(()))
    }

    /// `last` may still refuse: it runs when everything is made and nothing is swapped.
    fn replace(
        &self,
        mut settings: Settings,
        last: impl FnOnce(&Settings) -> Result<(), ReloadError>,
    ) -> Result<Vec<&'static str>, ReloadError> {
        let mut kept = self.kept();
        let pinned = pin(&kept.settings, &mut settings);
        let gateway = kept.gateway.renewed(&settings)?;
        let stack = layers::stack(&settings, &self.inner.metrics, gateway.clone());
        let protocol = Protocol::new(&settings.limits, &settings.timeouts, &settings.http2);
        let pages = Pages::new(&settings);
        last(&settings)?;
        // From here on nothing can fail.
        self.inner.stack.replace(stack);
        self.inner.protocol.store(Arc::new(protocol));
        self.inner.pages.store(Arc::new(pages));
        self.inner.slots.resize(settings.limits.connections);
        *kept = Kept { settings, gateway };
        Ok(pinned)
    }

    /// Reads the configuration again at every order and at every change of its file.
    pub(super) async fn follow(self, reload: Reload, mut hang_ups: HangUps) {
        let reload = Arc::new(reload);
        let Some(file) = reload.source.file() else {
            loop {
                hang_ups.ordered().await;
                tracing::info!("there is no configuration file to read again");
            }
        };
        let mut watch = FileWatch::of(vec![file.to_owned()]).await;
        loop {
            let cause = tokio::select! {
                () = hang_ups.ordered() => Cause::HangUp,
                () = watch.changed() => Cause::File,
            };
            // Looked at before it is read: a change in between is seen later, at worst once too often.
            watch = FileWatch::of(vec![file.to_owned()]).await;
            self.run(&reload, cause).await;
        }
    }

    /// Reading files and making clients may take a while: no other task waits for it.
    async fn run(&self, reload: &Arc<Reload>, cause: Cause) {
        let this = self.clone();
        let reload = Arc::clone(reload);
        let done = tokio::task::spawn_blocking(move || this.read_again(&reload, cause));
        if done.await.is_err() {
            self.inner.metrics.reloads().failed();
            tracing::error!("reading the configuration again failed, the old one stays");
        }
    }

    fn read_again(&self, reload: &Reload, cause: Cause) {
        let cause = cause.label();
        let applied = reload
            .source
            .load()
            .map_err(ReloadError::from)
            .and_then(|settings| {
                self.replace(settings, |settings| {
                    Ok(reload.log.replace(&settings.log.filter)?)
                })
            });
        match applied {
            Ok(pinned) => {
                self.inner.metrics.reloads().succeeded();
                tracing::info!(cause, "the configuration was reloaded");
                if !pinned.is_empty() {
                    let settings = pinned.join(", ");
                    tracing::warn!(
                        settings,
                        "changed settings that need a restart keep their old values"
                    );
                }
            }
            Err(error) => {
                self.inner.metrics.reloads().failed();
                let error = told(&error);
                tracing::error!(
                    cause,
                    error,
                    "the new configuration is refused, the old one stays"
                );
            }
        }
    }

    /// How long running requests may finish after a stop signal.
    pub(super) fn grace(&self) -> Duration {
        self.kept().settings.timeouts.drain
    }

    pub(super) fn stack(&self) -> CurrentStack {
        self.inner.stack.clone()
    }

    pub(super) fn protocol(&self) -> Arc<ArcSwap<Protocol>> {
        Arc::clone(&self.inner.protocol)
    }

    pub(super) fn pages(&self) -> Arc<ArcSwap<Pages>> {
        Arc::clone(&self.inner.pages)
    }

    pub(super) fn slots(&self) -> Slots {
        self.inner.slots.clone()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // It is assigned whole, so that a panic leaves no half of it.
        self.inner.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps what cannot change while the edge runs, and names what was to change.
fn pin(running: &Settings, next: &mut Settings) -> Vec<&'static str> {
    let mut pinned = Vec::new();
    let listen = |settings: &Settings| settings.admin.as_ref().map(|admin| admin.listen.clone());
    if next.listen != running.listen {
        next.listen.clone_from(&running.listen);
        pinned.push("listen");
    }
    if listen(next) != listen(running) {
        next.admin.clone_from(&running.admin);
        pinned.push("admin.listen");
    }
    if next.log.format != running.log.format {
        next.log.format = running.log.format;
        pinned.push("log.format");
    }
    pinned
}

/// An error with its causes; a configuration's problems come with their lines.
fn told(error: &ReloadError) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    causes.fold(error.to_string(), |told, cause| format!("{told}: {cause}"))
}

// === impl Cause ===

impl Cause {
    const fn label(self) -> &'static str {
        match self {
            Self::HangUp => "SIGHUP",
            Self::File => "file",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{AdminSettings, ListenAddress, LogFormat};

    #[test]
    fn what_needs_a_restart_keeps_its_value_and_is_named() {
        let running = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        let mut next = running.clone();
        next.listen = vec![ListenAddress::Unix("/run/x".into())];
        next.admin = Some(AdminSettings {
            listen: ListenAddress::Unix("/run/y".into()),
        });
        next.log.format = LogFormat::Text;
        next.log.filter = "debug".to_owned();
        assert_eq!(pin(&running, &mut next), ["listen", "admin.listen", "log.format"]);
        assert_eq!(next.listen, running.listen);
        assert!(next.admin.is_none());
        assert_eq!(next.log.format, running.log.format);
        assert_eq!(next.log.filter, "debug");
        assert!(pin(&running, &mut next).is_empty());
    }
}
