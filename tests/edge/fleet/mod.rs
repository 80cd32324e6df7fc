//! Several edges with one store: what one is told, all know, and no request fails by the store.

mod gaps;
mod limits;
mod outages;
mod purges;
mod scene;
