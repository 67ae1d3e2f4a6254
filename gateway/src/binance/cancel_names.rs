//! Names of cancels, for what private streams tell of the orders that they end: the exchange itself keeps none.
//!
//! Owns: the name of the latest try to cancel an order by program, for a minute or two. Never does: end an order. Invariants: a
//! name is put before the exchange is asked, so that whoever hears of the end finds it. Known limits: gone with the process.

use crate::time::{Ms, now_ms};
use dashmap::DashMap;
use xng_core::ids::OrderId;

/// So long a name is kept at least.
const KEPT: Ms = 60_000;

/// See the module's header.
#[derive(Debug, Default)]
pub struct CancelNames(DashMap<OrderId, (String, Ms)>);

impl CancelNames {
    /// Somebody tries to cancel an order under this name.
    pub fn put(&self, order: OrderId, name: &str) {
        self.0.insert(order, (name.to_owned(), now_ms()));
    }

    /// The name under which an order was cancelled.
    #[must_use]
    pub fn find(&self, order: OrderId) -> Option<String> {
        self.0.get(&order).map(|entry| entry.0.clone())
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

    #[test]
    fn the_latest_name_is_kept_for_a_while() {
        let names = CancelNames::default();
        names.put(OrderId(7), "first");
        names.put(OrderId(7), "second");
        names.sweep();
        assert_eq!((names.find(OrderId(7)).as_deref(), names.find(OrderId(8))), (Some("second"), None));
        names.0.get_mut(&OrderId(7)).unwrap().1 -= KEPT + 1;
        names.sweep();
        assert_eq!(names.find(OrderId(7)), None);
    }
}
