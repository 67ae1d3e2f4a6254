//! Credits: a gateway takes a credit before it sends a command and gives it back with the answer. Without a free credit it
//! answers "busy" at once, so that an overloaded exchange refuses quickly. Cancels have credits of their own.
//!
//! Owns: the counter. Never does: wait; queue; look at the journal (`admission.rs` does). Invariants: a credit that is
//! dropped is given back. Known limits: counts commands, not their size.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A pool of credits.
#[derive(Debug, Clone)]
pub struct Credits(Arc<AtomicI64>);

/// One credit; returns to its pool when dropped.
#[derive(Debug)]
pub struct Credit(Arc<AtomicI64>);

impl Credits {
    /// A pool of `n`.
    #[must_use]
    pub fn new(n: u32) -> Credits {
        Credits(Arc::new(AtomicI64::new(i64::from(n))))
    }

    /// Takes one, if there is one.
    #[must_use]
    pub fn take(&self) -> Option<Credit> {
        if self.0.fetch_sub(1, Ordering::AcqRel) > 0 {
            Some(Credit(self.0.clone()))
        } else {
            self.0.fetch_add(1, Ordering::AcqRel);
            None
        }
    }

    /// How many are left.
    #[must_use]
    pub fn left(&self) -> i64 {
        self.0.load(Ordering::Acquire)
    }
}

impl Drop for Credit {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credit_comes_back_when_its_holder_is_gone() {
        let pool = Credits::new(2);
        let (a, b) = (pool.take(), pool.take());
        assert!(a.is_some() && b.is_some() && pool.take().is_none());
        drop(a);
        assert!(pool.take().is_some());
        drop(b);
        assert_eq!(pool.left(), 2);
    }
}
