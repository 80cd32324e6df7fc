//! The stages by which other backends see calls, and the way to them.

#[cfg(feature = "migration")]
mod began_body;
#[cfg(feature = "migration")]
mod callers;
#[cfg(feature = "migration")]
mod copier;
#[cfg(feature = "migration")]
mod copy_budget;
#[cfg(feature = "migration")]
mod cutting_over;
#[cfg(feature = "migration")]
pub(super) mod dry_run;
#[cfg(feature = "migration")]
mod route;
#[cfg(feature = "migration")]
mod select_backend;
#[cfg(feature = "migration")]
mod shadowing;
#[cfg(not(feature = "migration"))]
mod site_alone;

#[cfg(not(feature = "migration"))]
pub(super) use site_alone::{SiteAlone as CallRoute, cutting_over, select_backend, shadowing};
#[cfg(feature = "migration")]
pub(super) use {
    callers::Callers, cutting_over::cutting_over, route::CallRoute, select_backend::select_backend,
    shadowing::shadowing,
};
