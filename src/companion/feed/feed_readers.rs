//! The readers that wait for a change, have a stream or read records: their limits, in all and for one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use parking_lot::Mutex;

use super::metrics::FeedMetrics;
use calendar_edge_core::errors;
use calendar_edge_core::settings::{FeedSettings, client_network};
use calendar_edge_judge::problem::OwnError;

/// The readers; clones share them.
#[derive(Debug, Clone)]
pub(super) struct FeedReaders {
    counted: Arc<Mutex<CountedReaders>>,
    metrics: FeedMetrics,
}

#[derive(Debug, Default)]
struct CountedReaders {
    most: usize,
    most_of_address: usize,
    all: usize,
    of_addresses: HashMap<IpNet, usize>,
}

/// The place of a reader, which is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct ReaderPlace {
    readers: FeedReaders,
    network: Option<IpNet>,
}

// === impl FeedReaders ===

impl FeedReaders {
    pub(super) fn new(metrics: FeedMetrics) -> Self {
        Self {
            counted: Arc::default(),
            metrics,
        }
    }

    /// Changes the limits. Readers beyond lower ones stay until they end.
    pub(super) fn limit(&self, settings: &FeedSettings) {
        let mut counted = self.counted.lock();
        counted.most = settings.readers;
        counted.most_of_address = settings.readers_per_address;
    }

    /// A place for a reader of this address, if that is known.
    ///
    /// # Errors
    ///
    /// There are as many readers as there may be, in all or of the address.
    pub(super) fn enter(&self, address: Option<IpAddr>) -> Result<ReaderPlace, &'static OwnError> {
        let network = address.map(client_network);
        let mut counted = self.counted.lock();
        if counted.all >= counted.most {
            return Err(errors::FEED_FULL);
        }
        if let Some(network) = network {
            let most = counted.most_of_address;
            let of_address = counted.of_addresses.entry(network).or_default();
            if *of_address >= most {
                return Err(errors::RATE_LIMITED);
            }
            *of_address += 1;
        }
        counted.all += 1;
        self.metrics.readers(counted.all);
        Ok(ReaderPlace {
            readers: self.clone(),
            network,
        })
    }
}

impl Drop for ReaderPlace {
    fn drop(&mut self) {
        let mut counted = self.readers.counted.lock();
        counted.all -= 1;
        self.readers.metrics.readers(counted.all);
        let Some(network) = self.network else { return };
        if let Some(of_address) = counted.of_addresses.get_mut(&network) {
            *of_address -= 1;
            if *of_address == 0 {
                counted.of_addresses.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::Metrics;

    #[test]
    fn places_are_limited_and_given_back() {
        let readers = FeedReaders::new(Metrics::new().register(FeedMetrics::new));
        readers.limit(&FeedSettings {
            readers: 3,
            readers_per_address: 2,
            ..FeedSettings::default()
        });
        let enter = |address: &str| readers.enter(Some(address.parse().unwrap()));
        let first = enter("2001:db8::1").unwrap();
        let _second = enter("2001:db8::2").unwrap();
        assert_eq!(enter("2001:db8::3").unwrap_err(), errors::RATE_LIMITED);
        let third = enter("192.0.2.1").unwrap();
        assert_eq!(enter("192.0.2.2").unwrap_err(), errors::FEED_FULL);
        assert_eq!(readers.enter(None).unwrap_err(), errors::FEED_FULL);
        drop((first, third));
        let counted = readers.counted.lock();
        assert_eq!((counted.all, counted.of_addresses.len()), (1, 1));
        drop(counted);
        assert!(enter("2001:db8::3").is_ok() && readers.enter(None).is_ok());
    }
}
