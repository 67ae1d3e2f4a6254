//! Private Postgres and Redis servers, for tests: started, killed, stopped, continued and removed at will.
//!
//! Owns: the servers' processes and their temporary folders; both end with the value, and the processes at the latest
//! with the process that started them, however that ends.
//! Never does: touch a server of the system; listen on the network. A program that is missing is an error that names its
//! package, never a reason to skip.
//! Invariants: one unix socket in the server's own folder; Postgres writes with fsync, Redis writes nothing.
//! Known limits: Linux. A test process that is killed leaves its temporary folders; what `initdb` made is kept in the
//! temporary folder for the next process (about 28 MiB, one per version and user).

mod postgres;
mod process;
mod redis;
#[cfg(test)]
mod tests;

pub use postgres::Postgres;
pub use redis::Redis;
