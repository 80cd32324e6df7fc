//! The service manager that started the process: the notices it gets, and the sign of life that it expects.

mod notices;
mod watchdog;

pub use notices::ServiceManager;
pub(crate) use watchdog::keep_alive;
