//! The way to the store: one server, or a server that Sentinels name.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::select_ok;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{
    AsyncConnectionConfig, ErrorKind, Pipeline, RedisConnectionInfo, RedisError, RedisResult, Value,
    aio::{AsyncStream, MultiplexedConnection},
};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::bounded_reader::{BoundedReader, MOST_BYTES};
use super::metrics::StoreFaultKind;
use super::store_fault::StoreFault;
use calendar_edge_core::fleet::ServerFacts;
use calendar_edge_core::settings::{FleetSettings, StoreAddress};

/// The way to the store of some settings. Names are resolved, and Sentinels queried, on each connection.
pub(super) struct StoreRoute {
    settings: FleetSettings,
    /// The authorities, and the certificate of this edge.
    tls: Option<Result<Arc<ClientConfig>, rustls::Error>>,
}

/// A connection to the store, whose replies are bounded (T-105).
pub(super) struct Connection {
    commands: MultiplexedConnection,
    /// The bytes that the exchange may still read.
    budget: Arc<AtomicUsize>,
}

/// The longest time that connecting may take, Sentinels included.
const CONNECT: Duration = Duration::from_secs(1);

/// The time without an acknowledgement after which the system gives a connection up.
const UNACKNOWLEDGED: Duration = Duration::from_secs(2);

/// The longest wait for the replies of an exchange.
pub(super) const PATIENCE: Duration = Duration::from_millis(250);

// === impl StoreRoute ===

impl StoreRoute {
    /// The way to the store. This reads the system's authorities, if the store uses TLS and the settings name none.
    pub(super) fn new(settings: &FleetSettings) -> Self {
        let uses_tls = settings.store.iter().any(StoreAddress::uses_tls);
        Self {
            settings: settings.clone(),
            tls: uses_tls.then(|| client_config(settings).map(Arc::new)),
        }
    }

    /// Opens a connection.
    ///
    /// # Errors
    ///
    /// When none is ready in time, or the store refuses it.
    pub(super) async fn connect(&self) -> Result<Connection, StoreFault> {
        match timeout(CONNECT, self.open()).await {
            Ok(opened) => Ok(opened?),
            Err(_) => Err(StoreFault::new(StoreFaultKind::Silent, "no connection in time")),
        }
    }

    async fn open(&self) -> RedisResult<Connection> {
        match self.settings.store.first() {
            Some(StoreAddress::Sentinel { .. }) => {
                let sentinels = self.settings.store.iter();
                // One that does not respond delays none.
                let asked = sentinels.map(|sentinel| Box::pin(self.open_named(sentinel)));
                Ok(select_ok(asked).await?.0)
            }
            Some(server) => self.open_server(server).await,
            None => Err((ErrorKind::InvalidClientConfig, "no address of a store").into()),
        }
    }

    /// A connection to the server that a Sentinel names. After a failover that may be a replica for a while.
    async fn open_named(&self, sentinel: &StoreAddress) -> RedisResult<Connection> {
        let refused = |why| RedisError::from((ErrorKind::MasterNameNotFoundBySentinel, why));
        let mut connection = self.open_server(sentinel).await?;
        let mut question = redis::cmd("SENTINEL");
        question.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.settings.master);
        let named: Option<(String, u16)> = question.query_async(&mut connection.commands).await?;
        let (host, port) = named.ok_or_else(|| refused("the Sentinel does not know this name"))?;
        let server = StoreAddress::Server {
            host,
            port,
            database: 0,
            tls: sentinel.uses_tls(),
        };
        let mut connection = self.open_server(&server).await?;
        let about: String = redis::cmd("INFO")
            .arg("replication")
            .query_async(&mut connection.commands)
            .await?;
        if ServerFacts::of(&about).is_replica() {
            return Err(refused("the Sentinel names a replica"));
        }
        Ok(connection)
    }

    /// A connection to a server or Sentinel.
    async fn open_server(&self, address: &StoreAddress) -> RedisResult<Connection> {
        let budget = Arc::new(AtomicUsize::new(MOST_BYTES));
        let (reader, writer) = tokio::io::split(self.stream(address).await?);
        let reader = BoundedReader {
            reader,
            budget: Arc::clone(&budget),
        };
        let stream = tokio::io::join(reader, writer);
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
        let account = self.account(address);
        let (commands, driver) = MultiplexedConnection::new_with_config(&account, stream, config).await?;
        // It ends with the last connection.
        tokio::spawn(driver);
        Ok(Connection { commands, budget })
    }

    /// A stream to a server or Sentinel. The library would not let its reads be bounded.
    async fn stream(&self, address: &StoreAddress) -> io::Result<Pin<Box<dyn AsyncStream + Send>>> {
        let (host, port) = match address {
            StoreAddress::Unix(path) => return Ok(Box::pin(UnixStream::connect(path).await?)),
            StoreAddress::Server { host, port, .. } | StoreAddress::Sentinel { host, port, .. } => {
                (host, *port)
            }
        };
        let stream = TcpStream::connect((host.as_str(), port)).await?;
        stream.set_nodelay(true)?;
        let socket = socket2::SockRef::from(&stream);
        socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(UNACKNOWLEDGED))?;
        socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
        let Some(tls) = self.tls.clone().filter(|_| address.uses_tls()) else {
            return Ok(Box::pin(stream));
        };
        let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
        let tls = TlsConnector::from(tls.map_err(io::Error::other)?);
        Ok(Box::pin(tls.connect(name, stream).await?))
    }

    /// The account at a server or Sentinel.
    fn account(&self, address: &StoreAddress) -> RedisConnectionInfo {
        let settings = &self.settings;
        let (user, password) = if address.is_sentinel() {
            (None, &settings.sentinel_password)
        } else {
            (settings.user.as_ref(), &settings.password)
        };
        // Old servers do not know the command by which a library introduces itself.
        let mut account = RedisConnectionInfo::default().set_skip_set_lib_name();
        if let StoreAddress::Server { database, .. } = address {
            account = account.set_db(*database);
        }
        if let Some(user) = user {
            account = account.set_username(user);
        }
        if let Some(password) = password {
            account = account.set_password(password.secret());
        }
        account
    }
}

/// The certificates that streams to the store show and trust: authorities of the settings, or else of the system.
fn client_config(settings: &FleetSettings) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let named = settings.trusted.ders();
    let mut authorities: Vec<_> = named.map(|der| CertificateDer::from(der.to_vec())).collect();
    if authorities.is_empty() {
        authorities = rustls_native_certs::load_native_certs().certs;
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(authorities);
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots);
    let Some(identity) = &settings.identity else {
        return Ok(config.with_no_client_auth());
    };
    let unreadable = |error: pem::Error| rustls::Error::General(error.to_string());
    let chain = CertificateDer::pem_slice_iter(&identity.certificate).collect::<Result<_, _>>();
    let key = PrivateKeyDer::from_pem_slice(&identity.key).map_err(unreadable)?;
    config.with_client_auth_cert(chain.map_err(unreadable)?, key)
}

// === impl Connection ===

impl Connection {
    /// Sends a pipeline, and returns a reply or an error for each of its commands.
    pub(super) async fn exchange(&mut self, pipe: &Pipeline) -> RedisResult<Vec<RedisResult<Value>>> {
        self.budget.store(MOST_BYTES, Ordering::Relaxed);
        pipe.query_async(&mut self.commands).await
    }
}
