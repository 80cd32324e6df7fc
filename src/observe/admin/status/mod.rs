//! Parts of the state of the edge.

mod backend_status;
mod contract;
mod facts;
mod readings;
mod stored;
mod surface;

pub(super) use backend_status::BackendHealth;
pub(crate) use facts::EdgeFacts;
pub(super) use facts::SettingFacts;
pub(super) use readings::CountReading;
pub(crate) use readings::Readings;
pub(super) use stored::CacheStatus;
pub(super) use surface::SurfaceStatus;
