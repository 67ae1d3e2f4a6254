//! Ended sessions: those still to be published, and the guard against showing them again.
//!
//! Owns: the tombstones. Never does: talk to Redis. Invariants: a session that ended is not shown again for
//! [`CACHED_SESSION_SECONDS`], however late somebody saw it alive; after that what was shown of it before is gone by
//! itself. Known limits: one tombstone a logout of the last [`CACHED_SESSION_SECONDS`].

use super::session::CACHED_SESSION_SECONDS;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use xng_persistence::office::TokenHash;

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct Ended(HashMap<TokenHash, Tombstone>);

#[derive(Debug)]
struct Tombstone {
    since: Instant,
    /// Redis was told.
    published: bool,
}

impl Ended {
    /// A session ended.
    pub(super) fn add(&mut self, id: TokenHash, now: Instant) {
        self.0.insert(id, Tombstone { since: now, published: false });
    }

    /// Whether it ended of late.
    pub(super) fn has(&self, id: &TokenHash) -> bool {
        self.0.contains_key(id)
    }

    /// Those that Redis may still have.
    pub(super) fn unpublished(&self) -> Vec<TokenHash> {
        self.0.iter().filter(|(_, tombstone)| !tombstone.published).map(|(id, _)| *id).collect()
    }

    /// Redis has them no more.
    pub(super) fn published(&mut self, ids: &[TokenHash]) {
        for id in ids {
            if let Some(tombstone) = self.0.get_mut(id) {
                tombstone.published = true;
            }
        }
    }

    /// Forgets what ended longer ago than a session is kept there.
    pub(super) fn sweep(&mut self, now: Instant) {
        let kept = Duration::from_secs(CACHED_SESSION_SECONDS);
        self.0.retain(|_, tombstone| now.saturating_duration_since(tombstone.since) < kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_dead_stays_dead_after_redis_was_told_for_as_long_as_a_late_word_could_revive_them() {
        let (mut ended, now) = (Ended::default(), Instant::now());
        ended.add([1; 32], now);
        assert_eq!(ended.unpublished(), [[1; 32]]);
        ended.published(&ended.unpublished());
        assert!(ended.unpublished().is_empty() && ended.has(&[1; 32]), "told once, and dead");
        ended.sweep(now + Duration::from_secs(CACHED_SESSION_SECONDS - 1));
        assert!(ended.has(&[1; 32]));
        ended.sweep(now + Duration::from_secs(CACHED_SESSION_SECONDS));
        assert!(!ended.has(&[1; 32]), "nothing piles up");
    }

    #[test]
    fn a_failed_call_leaves_it_to_be_told() {
        let mut ended = Ended::default();
        ended.add([2; 32], Instant::now());
        assert_eq!(ended.unpublished(), ended.unpublished());
    }
}
