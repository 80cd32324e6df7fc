//! TLS toward clients: a certificate that can be replaced while connections run.

mod acceptor;
mod identity;
mod validity;

pub(crate) use acceptor::TlsAcceptor;
pub use identity::{TlsIdentity, TlsIdentityError};
