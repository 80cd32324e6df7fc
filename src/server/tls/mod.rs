//! TLS for client connections, with a certificate that can be replaced at runtime.

mod acceptor;
mod der;
mod identity;
mod validity;

pub(crate) use acceptor::TlsAcceptor;
pub use identity::{TlsIdentity, TlsIdentityError};
