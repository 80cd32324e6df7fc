//! The way to the store: one server, a server that Sentinels name, or a cluster.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
#[cfg(feature = "cluster")]
use redis::cluster::ClusterClientBuilder;
#[cfg(feature = "cluster")]
use redis::cluster_async::ClusterConnection;
use redis::io::tcp::TcpSettings;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::sentinel::{SentinelClientBuilder, SentinelServerType};
use redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _,
    Pipeline, RedisConnectionInfo, RedisResult, TlsCertificates, TlsMode, Value,
    aio::{AsyncStream, MultiplexedConnection},
};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::bounded_reader::ReplyBudget;
use super::store_fault::StoreFault;
use crate::telemetry::StoreFaultKind;
use calendar_edge_core::settings::{FleetSettings, StoreAddress};

/// How the store of some settings is reached. Names are resolved, and Sentinels asked, on each connection.
pub(super) struct StoreRoute {
    settings: FleetSettings,
    certificates: Option<TlsCertificates>,
    /// The same for streams of our own.
    tls: Option<Result<Arc<ClientConfig>, rustls::Error>>,
}

/// A connection to the store.
pub(super) enum Connection {
    Server(MultiplexedConnection, ReplyBudget),
    #[cfg(feature = "cluster")]
    Cluster(Box<ClusterConnection>),
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
        let authorities = uses_tls.then(|| authorities(settings));
        Self {
            settings: settings.clone(),
            certificates: authorities.as_ref().map(|ders| certificates(settings, ders)),
            tls: authorities.map(|ders| client_config(settings, ders).map(Arc::new)),
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
        #[cfg(feature = "cluster")]
        if self.settings.cluster {
            return self.open_cluster().await;
        }
        let is_sentinel = self.settings.store.iter().any(StoreAddress::is_sentinel);
        let info = if is_sentinel {
            self.ask_sentinels().await?
        } else {
            self.infos()?.into_iter().next().ok_or_else(no_address)?
        };
        let budget = ReplyBudget::default();
        budget.refill();
        let (read, write) = tokio::io::split(self.stream(info.addr()).await?);
        let stream = tokio::io::join(budget.bound(read), write);
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
        let account = info.redis_settings();
        let (connection, driver) = MultiplexedConnection::new_with_config(account, stream, config).await?;
        // It ends with the last connection.
        tokio::spawn(driver);
        Ok(Connection::Server(connection, budget))
    }

    /// A stream to a server. The library would not let its reads be bounded.
    async fn stream(&self, address: &ConnectionAddr) -> io::Result<Pin<Box<dyn AsyncStream + Send>>> {
        let (host, port, tls) = match address {
            ConnectionAddr::Tcp(host, port) => (host, *port, None),
            ConnectionAddr::TcpTls { host, port, .. } => (host, *port, self.tls.clone()),
            ConnectionAddr::Unix(path) => return Ok(Box::pin(UnixStream::connect(path).await?)),
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        let stream = TcpStream::connect((host.as_str(), port)).await?;
        stream.set_nodelay(true)?;
        let socket = socket2::SockRef::from(&stream);
        socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(UNACKNOWLEDGED))?;
        socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
        let Some(tls) = tls else {
            return Ok(Box::pin(stream));
        };
        let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
        let tls = TlsConnector::from(tls.map_err(io::Error::other)?);
        Ok(Box::pin(tls.connect(name, stream).await?))
    }

    async fn ask_sentinels(&self) -> RedisResult<ConnectionInfo> {
        let infos = self.infos()?;
        let addresses = infos.iter().map(|info| info.addr().clone());
        let settings = &self.settings;
        let name = settings.master.as_deref().unwrap_or_default();
        let mut builder = SentinelClientBuilder::new(addresses, name, SentinelServerType::Master)?
            .set_client_to_sentinel_tcp_settings(tcp())
            .set_client_to_redis_tcp_settings(tcp());
        if let Some(user) = &settings.sentinel_user {
            builder = builder.set_client_to_sentinel_username(user);
        }
        if let Some(password) = &settings.sentinel_password {
            builder = builder.set_client_to_sentinel_password(password.secret());
        }
        if let Some(user) = &settings.user {
            builder = builder.set_client_to_redis_username(user);
        }
        if let Some(password) = &settings.password {
            builder = builder.set_client_to_redis_password(password.secret());
        }
        if let Some(certificates) = &self.certificates {
            builder = builder
                .set_client_to_redis_tls_mode(TlsMode::Secure)
                .set_client_to_redis_certificates(certificates.clone());
        }
        let client = builder.build()?.async_get_client().await?;
        Ok(client.get_connection_info().clone())
    }

    #[cfg(feature = "cluster")]
    async fn open_cluster(&self) -> RedisResult<Connection> {
        let mut builder = ClusterClientBuilder::new(self.infos()?)
            .connection_timeout(CONNECT)
            .response_timeout(PATIENCE)
            .tcp_settings(tcp())
            .retries(1);
        if let Some(certificates) = &self.certificates {
            builder = builder.certs(certificates.clone());
        }
        let connection = builder.build()?.get_async_connection().await?;
        Ok(Connection::Cluster(Box::new(connection)))
    }

    /// What the client library needs to know of each address.
    fn infos(&self) -> RedisResult<Vec<ConnectionInfo>> {
        self.settings
            .store
            .iter()
            .map(|address| self.info(address))
            .collect()
    }

    fn info(&self, address: &StoreAddress) -> RedisResult<ConnectionInfo> {
        let (at, account) = match address {
            StoreAddress::Unix(path) => (ConnectionAddr::Unix(path.clone()), self.account(0)),
            StoreAddress::Server {
                host,
                port,
                database,
                tls,
            } => (tcp_address(host, *port, *tls), self.account(*database)),
            StoreAddress::Sentinel { host, port, tls } => {
                (tcp_address(host, *port, *tls), RedisConnectionInfo::default())
            }
        };
        let info = at.into_connection_info()?;
        let info = info.set_tcp_settings(tcp()).set_redis_settings(account);
        match (&self.certificates, info.addr()) {
            (Some(certificates), ConnectionAddr::TcpTls { .. }) => {
                let client = Client::build_with_tls(info, certificates.clone())?;
                Ok(client.get_connection_info().clone())
            }
            _ => Ok(info),
        }
    }

    fn account(&self, database: i64) -> RedisConnectionInfo {
        // Old servers do not know the command by which a library introduces itself.
        let account = RedisConnectionInfo::default().set_skip_set_lib_name();
        let mut account = account.set_db(database);
        if let Some(user) = &self.settings.user {
            account = account.set_username(user);
        }
        if let Some(password) = &self.settings.password {
            account = account.set_password(password.secret());
        }
        account
    }
}

fn no_address() -> redis::RedisError {
    (redis::ErrorKind::InvalidClientConfig, "no address of a store").into()
}

fn tcp_address(host: &str, port: u16, tls: bool) -> ConnectionAddr {
    let host = host.to_owned();
    if tls {
        ConnectionAddr::TcpTls {
            host,
            port,
            insecure: false,
            tls_params: None,
        }
    } else {
        ConnectionAddr::Tcp(host, port)
    }
}

fn tcp() -> TcpSettings {
    TcpSettings::default()
        .set_nodelay(true)
        .set_keepalive(TcpKeepalive::new().with_time(UNACKNOWLEDGED))
        .set_user_timeout(UNACKNOWLEDGED)
}

/// The authorities that can be read. The library fails as a whole for one certificate that cannot be, and reads the
/// system's on each connection, unless it gets these.
fn authorities(settings: &FleetSettings) -> Vec<CertificateDer<'static>> {
    let mut ders: Vec<CertificateDer<'static>> = settings
        .trusted
        .ders()
        .map(|der| CertificateDer::from(der.to_vec()))
        .collect();
    if ders.is_empty() {
        ders = rustls_native_certs::load_native_certs().certs;
    }
    ders.retain(|der| RootCertStore::empty().add(der.clone()).is_ok());
    ders
}

/// The authorities, and what this edge shows of itself.
fn certificates(settings: &FleetSettings, authorities: &[CertificateDer<'static>]) -> TlsCertificates {
    let pem: String = authorities.iter().map(|der| pem(der)).collect();
    TlsCertificates {
        client_tls: settings.identity.as_ref().map(|identity| ClientTlsConfig {
            client_cert: identity.certificate.clone(),
            client_key: identity.key.clone(),
        }),
        root_cert: Some(pem.into_bytes()),
    }
}

/// The same for streams of our own.
fn client_config(
    settings: &FleetSettings,
    authorities: Vec<CertificateDer<'static>>,
) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
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

fn pem(der: &[u8]) -> String {
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        STANDARD.encode(der)
    )
}

// === impl Connection ===

impl Connection {
    /// Sends a pipeline, and returns a reply or an error for each of its commands.
    pub(super) async fn ask(&mut self, pipe: &Pipeline) -> RedisResult<Vec<RedisResult<Value>>> {
        match self {
            Self::Server(connection, budget) => {
                budget.refill();
                pipe.query_async(connection).await
            }
            #[cfg(feature = "cluster")]
            Self::Cluster(connection) => pipe.query_async(connection.as_mut()).await,
        }
    }
}
