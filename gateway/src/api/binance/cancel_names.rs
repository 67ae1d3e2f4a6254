//! Names of cancels, for what private streams tell of the orders that they end: the exchange itself keeps none.
//!
//! Owns: the names of cancels by program, for a minute or two. Never does: end an order. Invariants: a name is known before the
//! exchange is asked, and by the very request, so that an order's end is told with the name of the cancel that ended it,
//! however many were on their way. Known limits: gone with the process; not known to other gateways.

use crate::common::time::{Ms, now_ms};
use dashmap::DashMap;
use xng_cell::Ticket;

/// So long a name is kept at least.
const KEPT: Ms = 60_000;

/// See the module's header.
#[derive(Debug, Default)]
pub struct CancelNames(DashMap<Ticket, (String, Ms)>);

impl CancelNames {
    /// A request that cancels goes by this name.
    pub fn put(&self, request: Ticket, name: &str) {
        self.0.insert(request, (name.to_owned(), now_ms()));
    }

    /// The name of a request, if it is one that cancels.
    #[must_use]
    pub fn find(&self, request: Option<Ticket>) -> Option<String> {
        self.0.get(&request?).map(|entry| entry.0.clone())
    }

    /// Forgets the old.
    pub fn sweep(&self) {
        let since = now_ms() - KEPT;
        self.0.retain(|_, (_, at)| *at >= since);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_cell::PortId;

    #[test]
    fn each_request_has_its_name_for_a_while() {
        let names = CancelNames::default();
        let ticket = |port, token| Ticket { port: PortId(port), token };
        names.put(ticket(0, 7), "first");
        names.put(ticket(1, 7), "second");
        names.sweep();
        assert_eq!(names.find(Some(ticket(0, 7))).as_deref(), Some("first"));
        assert_eq!((names.find(Some(ticket(0, 8))), names.find(None)), (None, None));
        names.0.get_mut(&ticket(0, 7)).unwrap().1 -= KEPT + 1;
        names.sweep();
        assert_eq!((names.find(Some(ticket(0, 7))), names.find(Some(ticket(1, 7))).as_deref()), (None, Some("second")));
    }
}
