//! The way to the store: one server, a server that Sentinels name, or a cluster.

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
    Pipeline, RedisConnectionInfo, RedisResult, TlsCertificates, TlsMode, Value, aio::MultiplexedConnection,
};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use tokio::time::timeout;

use super::store_fault::StoreFault;
use crate::telemetry::StoreFaultKind;
use calendar_edge_core::settings::{FleetSettings, StoreAddress};

/// How the store of some settings is reached. Names are resolved, and Sentinels asked, on each connection.
pub(super) struct StoreRoute {
    settings: FleetSettings,
    certificates: Option<TlsCertificates>,
}

/// A connection to the store.
pub(super) enum Connection {
    Server(MultiplexedConnection),
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
        Self {
            settings: settings.clone(),
            certificates: uses_tls.then(|| certificates(settings)),
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
        let client = if is_sentinel {
            self.ask_sentinels().await?
        } else {
            let address = self.infos()?.into_iter().next();
            Client::open(address.ok_or_else(no_address)?)?
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(PATIENCE));
        let connection = client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        Ok(Connection::Server(connection))
    }

    async fn ask_sentinels(&self) -> RedisResult<Client> {
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
        builder.build()?.async_get_client().await
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

/// The authorities, and what this edge shows of itself. The library fails as a whole for one certificate that cannot be
/// read, and reads the system's on each connection, unless it gets those that can be.
fn certificates(settings: &FleetSettings) -> TlsCertificates {
    let mut ders: Vec<CertificateDer<'static>> = settings
        .trusted
        .ders()
        .map(|der| CertificateDer::from(der.to_vec()))
        .collect();
    if ders.is_empty() {
        ders = rustls_native_certs::load_native_certs().certs;
    }
    let readable = ders
        .into_iter()
        .filter(|der| RootCertStore::empty().add(der.clone()).is_ok());
    let pem: String = readable.map(|der| pem(&der)).collect();
    TlsCertificates {
        client_tls: settings.identity.as_ref().map(|identity| ClientTlsConfig {
            client_cert: identity.certificate.clone(),
            client_key: identity.key.clone(),
        }),
        root_cert: Some(pem.into_bytes()),
    }
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
            Self::Server(connection) => pipe.query_async(connection).await,
            #[cfg(feature = "cluster")]
            Self::Cluster(connection) => pipe.query_async(connection.as_mut()).await,
        }
    }
}
