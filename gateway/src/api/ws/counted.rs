//! How many sockets an address has open.
//!
//! Owns: the count of one socket, from before its handshake to its end. Never does: know what a socket is for.
//! Invariants: a socket is counted exactly while its [`Counted`] lives; an address without sockets is in no table.
//! Known limits: none.

use crate::app::Shared;
use std::net::IpAddr;
use std::sync::Arc;

/// A socket of an address, counted while this lives.
#[derive(Debug)]
pub(super) struct Counted {
    shared: Arc<Shared>,
    ip: IpAddr,
}

impl Counted {
    /// None when the address has as many as it may have.
    pub(super) fn one(shared: &Arc<Shared>, ip: IpAddr) -> Option<Counted> {
        let mut open = shared.sockets.entry(ip).or_insert(0);
        if *open >= shared.config.limits.sockets_per_ip {
            return None;
        }
        *open += 1;
        drop(open);
        Some(Counted { shared: shared.clone(), ip })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.shared.sockets.remove_if_mut(&self.ip, |_, open| {
            *open -= 1;
            *open == 0
        });
    }
}
