//! Several edges with one store: all receive a message to one, and no request fails by the store.

mod checked;
mod gaps;
mod limits;
mod mischief;
mod outages;
mod purges;
mod rules;
mod scene;
mod sentinels;
mod site_permits;
mod store_tls;
mod timing;
