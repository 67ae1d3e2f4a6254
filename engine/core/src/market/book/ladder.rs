//! The price levels of one side of a book, best first.
//!
//! Owns: the level at each price, and the best level.
//! Never does: know orders; allocate while prices stay near the best price.
//! Layout: prices near the best one are in a window (an array indexed by price, with a bitmap of used entries), the others in a
//! B-tree. Prices are ranks, smaller is better: ticks for asks, negated ticks for bids.
//! Invariants: a level is in the window exactly when its rank is inside it; `best` is the smallest rank of both.
//! Complexity: O(1) inside the window, O(log levels) in the tree. The window moves when it is empty, or after as many new levels
//! better than all of it as it contains, so moving is amortised.
//! Known limits: a side whose orders are further apart than the window is wide works in the tree.

use std::collections::BTreeMap;

/// No level.
pub(super) const NONE: u32 = u32::MAX;
/// A rank behind all others.
const WORST: i64 = i64::MAX;
/// Ticks in the window, as many as prices swing in a wild hour: 256 KiB of numbers, made of zero pages, of which a market
/// touches those that its prices come to.
const WIDTH: usize = 65_536;
const WORDS: usize = WIDTH / 64;
/// Ticks of the window in front of the best price when the window is placed.
const IN_FRONT: i64 = WIDTH as i64 / 8;
/// New levels in front of the window before it moves, besides one for each level in it.
const PATIENCE: u32 = 64;

/// The levels of one side.
#[derive(Debug, Clone)]
pub(super) struct Ladder {
    /// Level by rank, from `base` on, plus one: zero is [`NONE`]. Empty until there is a first level.
    window: Vec<u32>,
    /// A bit a tick of the window. Not inline: a market is fetched ahead of time whole, and this is most of a ladder.
    marks: Vec<u64>,
    /// A bit a word of these bits.
    words: [u64; WORDS / 64],
    base: i64,
    /// Levels in the window.
    near: u32,
    /// New levels in front of the window since it was placed.
    ahead: u32,
    far: BTreeMap<i64, u32>,
    /// The smallest rank in `far`.
    far_best: i64,
    best: (i64, u32),
}

impl Default for Ladder {
    fn default() -> Self {
        Ladder {
            window: Vec::new(),
            marks: Vec::new(),
            words: [0; WORDS / 64],
            base: 0,
            near: 0,
            ahead: 0,
            far: BTreeMap::new(),
            far_best: WORST,
            best: (WORST, NONE),
        }
    }
}

impl Ladder {
    /// The best level, or [`NONE`].
    pub(super) fn best(&self) -> u32 {
        self.best.1
    }

    /// The level at a rank, or [`NONE`].
    pub(super) fn find(&self, rank: i64) -> u32 {
        match self.place(rank) {
            Some(at) => self.level(at),
            None if self.far.is_empty() => NONE,
            None => self.far.get(&rank).copied().unwrap_or(NONE),
        }
    }

    /// Has the number fetched that says which level stands at a rank.
    pub(super) fn prefetch(&self, rank: i64) {
        self.place(rank).into_iter().for_each(|at| xng_prefetch::value(&self.window[at]));
    }

    /// The level at a place of the window, or [`NONE`].
    fn level(&self, at: usize) -> u32 {
        self.window[at].wrapping_sub(1)
    }

    fn place(&self, rank: i64) -> Option<usize> {
        let at = rank.wrapping_sub(self.base) as u64;
        (at < self.window.len() as u64).then_some(at as usize)
    }

    /// Puts a level at a rank where none stands.
    pub(super) fn put(&mut self, rank: i64, level: u32) {
        if self.window.is_empty() {
            (self.window, self.marks) = (vec![0; WIDTH], vec![0; WORDS]);
        }
        if self.near == 0 && self.far.is_empty() {
            (self.base, self.ahead) = (rank - IN_FRONT, 0);
        }
        if rank < self.best.0 {
            self.best = (rank, level);
        }
        if let Some(at) = self.place(rank) {
            self.set(at, level);
            return;
        }
        self.far.insert(rank, level);
        self.far_best = self.far_best.min(rank);
        if rank < self.base {
            self.ahead += 1;
            if self.ahead > self.near + PATIENCE {
                self.move_window();
            }
        }
    }

    fn set(&mut self, at: usize, level: u32) {
        self.window[at] = level + 1;
        self.marks[at / 64] |= 1 << (at % 64);
        self.words[at / 4_096] |= 1 << (at / 64 % 64);
        self.near += 1;
    }

    fn clear(&mut self, at: usize) {
        self.window[at] = 0;
        self.marks[at / 64] &= !(1 << (at % 64));
        if self.marks[at / 64] == 0 {
            self.words[at / 4_096] &= !(1 << (at / 64 % 64));
        }
        self.near -= 1;
    }

    /// Takes the level at a rank away; one stands there.
    pub(super) fn take(&mut self, rank: i64) {
        match self.place(rank) {
            Some(at) => {
                self.clear(at);
                if self.near == 0 && !self.far.is_empty() {
                    self.move_window();
                }
            }
            None => {
                self.far.remove(&rank);
                if rank == self.far_best {
                    self.far_best = self.far.first_key_value().map_or(WORST, |(rank, _)| *rank);
                }
            }
        }
        if rank == self.best.0 {
            self.best = self.after(rank).unwrap_or((WORST, NONE));
        }
    }

    /// The first level behind a rank.
    pub(super) fn after(&self, rank: i64) -> Option<(i64, u32)> {
        let from = rank + 1;
        let near = self.marked((from - self.base).clamp(0, WIDTH as i64) as usize);
        let near = near.map(|at| (self.base + at as i64, self.level(at)));
        // Nothing of the tree lies inside the window: behind a rank that is in it, its own levels come first.
        if self.far.is_empty() || (near.is_some() && from >= self.base) {
            return near;
        }
        let far = self.far.range(from..).next().map(|(rank, level)| (*rank, *level));
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// The first mark of the window from a place on.
    fn marked(&self, from: usize) -> Option<usize> {
        let word = from / 64;
        let rest = self.marks.get(word)? & (u64::MAX << (from % 64));
        if rest != 0 {
            return Some(word * 64 + rest.trailing_zeros() as usize);
        }
        let mut behind = u64::MAX.checked_shl(word as u32 % 64 + 1).unwrap_or(0);
        for (n, words) in self.words.iter().enumerate().skip(word / 64) {
            let words = words & behind;
            if words != 0 {
                let word = n * 64 + words.trailing_zeros() as usize;
                return Some(word * 64 + self.marks[word].trailing_zeros() as usize);
            }
            behind = u64::MAX;
        }
        None
    }

    /// Places the window at the best level: what it leaves goes to the tree, what it comes to leaves the tree.
    fn move_window(&mut self) {
        let base = self.best_of_both() - IN_FRONT;
        let mut at = self.marked(0);
        while let Some(old) = at {
            let rank = self.base + old as i64;
            if !(base..base + WIDTH as i64).contains(&rank) {
                self.far.insert(rank, self.level(old));
                self.clear(old);
            }
            at = self.marked(old + 1);
        }
        self.slide(base);
        while let Some((rank, level)) = self.far.range(base..base + WIDTH as i64).next().map(|(r, l)| (*r, *l)) {
            self.far.remove(&rank);
            self.set((rank - base) as usize, level);
        }
        self.far_best = self.far.first_key_value().map_or(WORST, |(rank, _)| *rank);
        self.ahead = 0;
    }

    fn best_of_both(&self) -> i64 {
        self.marked(0).map_or(WORST, |at| self.base + at as i64).min(self.far_best)
    }

    /// Moves what is in the window to where it is in one that begins at `base`; all of it is in both.
    fn slide(&mut self, base: i64) {
        let by = base - self.base;
        let count = self.near;
        let mut at = if by > 0 { self.marked(0) } else { self.marked_before(WIDTH) };
        while let Some(old) = at {
            let level = self.level(old);
            self.clear(old);
            self.set((old as i64 - by) as usize, level);
            at = if by > 0 { self.marked(old + 1) } else { self.marked_before(old) };
        }
        debug_assert_eq!(self.near, count);
        self.base = base;
    }

    /// The last mark of the window before a place.
    fn marked_before(&self, end: usize) -> Option<usize> {
        (0..end.div_ceil(64)).rev().find_map(|word| {
            let kept = if word == end / 64 { !(u64::MAX << (end % 64)) } else { u64::MAX };
            let marks = self.marks[word] & kept;
            (marks != 0).then(|| word * 64 + 63 - marks.leading_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Ranks near each other, far apart and in front of what is there.
    fn rank() -> impl Strategy<Value = i64> {
        prop_oneof![4 => -50..50_i64, 2 => -96_000..96_000_i64, 1 => -1_000_000..1_000_000_i64]
    }

    proptest! {
        #[test]
        fn a_ladder_is_a_sorted_list(ranks in prop::collection::vec((rank(), any::<bool>()), 0..400), drift in -30..30_i64) {
            let (mut ladder, mut list) = (Ladder::default(), BTreeMap::new());
            for (n, (rank, keep)) in ranks.into_iter().enumerate() {
                let rank = rank + drift * n as i64;
                if list.remove(&rank).is_some() {
                    ladder.take(rank);
                } else {
                    list.insert(rank, n as u32);
                    ladder.put(rank, n as u32);
                }
                // The best goes often, as in a market.
                if !keep && let Some((rank, _)) = list.pop_first() {
                    ladder.take(rank);
                }
                prop_assert_eq!(ladder.best(), list.first_key_value().map_or(NONE, |(_, level)| *level));
                let mut found = Vec::new();
                let mut at = ladder.after(i64::MIN / 2);
                while let Some((rank, level)) = at {
                    found.push((rank, level));
                    prop_assert_eq!(ladder.find(rank), level);
                    at = ladder.after(rank);
                }
                prop_assert_eq!(found, list.iter().map(|(r, l)| (*r, *l)).collect::<Vec<_>>());
            }
        }
    }
}
