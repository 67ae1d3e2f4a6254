//! Redis: what can be rebuilt, and what further gateways listen to. It may be away at any time.
//!
//! Owns: one connection, made when it is needed and given up after an error.
//! Never does: hold anything that exists nowhere else; wait longer than its time-outs.
//! Invariants: a call either gave all its answers or failed.
//! Known limits: one server, no cluster; commands of a failed call may have been done.

use std::{fmt, time::Duration};

use redis::{AsyncConnectionConfig, Client, IntoConnectionInfo, aio::MultiplexedConnection};
pub use redis::{Pipeline, RedisError, Value, pipe};

/// How long making a connection may take.
const CONNECT_WITHIN: Duration = Duration::from_secs(1);
/// How long the answers of one call may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// Where a server is: `redis://[:password@]host[:port][/database]` or `redis+unix:///folder/socket`.
#[derive(Clone)]
pub struct RedisUrl(Client);

impl fmt::Debug for RedisUrl {
    /// Without user and password: settings are logged at the start.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.get_connection_info().addr())
    }
}

impl RedisUrl {
    /// Reads a url; nothing is connected to yet.
    ///
    /// # Errors
    /// When it is none. The error does not repeat it.
    pub fn parse(url: &str) -> Result<Self, RedisError> {
        Ok(Self(Client::open(url.into_connection_info()?)?))
    }
}

/// A server that may be away. See the module's header.
pub struct Redis {
    client: Client,
    connection: Option<MultiplexedConnection>,
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").field("connected", &self.connection.is_some()).finish_non_exhaustive()
    }
}

impl Redis {
    /// Not connected yet.
    #[must_use]
    pub fn new(url: &RedisUrl) -> Self {
        Self { client: url.0.clone(), connection: None }
    }

    /// Sends commands and gives the answers of those that are not ignored.
    ///
    /// # Errors
    /// When the server is away or slow, or refuses a command; the next call connects anew.
    pub async fn ask(&mut self, commands: &Pipeline) -> Result<Vec<Value>, RedisError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let times = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(CONNECT_WITHIN))
                    .set_response_timeout(Some(ANSWER_WITHIN));
                self.client.get_multiplexed_async_connection_with_config(&times).await?
            }
        };
        let answers = commands.query_async(&mut connection).await?;
        self.connection = Some(connection);
        Ok(answers)
    }
}
