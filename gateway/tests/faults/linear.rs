//! A checker of linearizability for one account: whether operations that overlapped can be put into one order in which
//! each of them takes effect between its call and its answer, and every answer is right.
//!
//! Configurations (which of the open operations have taken effect, and the state that this gives) are followed from
//! event to event; an operation takes effect at the latest when it answers (Wing & Gong, with Lowe's just-in-time order).

use std::collections::{BTreeMap, BTreeSet};

/// An account, as the model sees it. Amounts are in units of 1e-8 USDT.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Account {
    pub(crate) available: i128,
    pub(crate) locked: i128,
    pub(crate) funding: i128,
    /// Open orders and what each locks.
    pub(crate) open: BTreeMap<u64, i128>,
}

/// What was asked and what was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    /// An order that rests, its id and what it locks.
    Placed(u64, i128),
    /// An order of this cost was refused for want of money.
    TooDear(i128),
    /// An order that the market refused. Until then it held money, so that another one may have been too dear beside it.
    Refused,
    Canceled(u64),
    /// The order was not open.
    NotOpen(u64),
    /// From spot to funding; negative the other way.
    Moved(i128),
    /// The same, refused for want of money.
    NotMoved(i128),
    /// Available, locked.
    SawSpot(i128, i128),
    SawFunding(i128),
    /// Ids of the open orders.
    SawOpen(BTreeSet<u64>),
}

/// An operation; `answered` is when its client, or the end of the process, ruled out that it takes effect later.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) called: u64,
    pub(crate) answered: u64,
    pub(crate) deed: Deed,
}

impl Account {
    /// The account after `deed`; `None` when it could not have been answered so.
    fn after(&self, deed: &Deed) -> Option<Account> {
        let mut next = self.clone();
        let right = match deed {
            Deed::Placed(id, cost) => {
                next.available -= cost;
                next.locked += cost;
                next.open.insert(*id, *cost).is_none() && next.available >= 0
            }
            Deed::TooDear(cost) => self.available < *cost,
            Deed::Refused => true,
            Deed::Canceled(id) => {
                let cost = next.open.remove(id)?;
                next.available += cost;
                next.locked -= cost;
                true
            }
            Deed::NotOpen(id) => !self.open.contains_key(id),
            Deed::Moved(amount) => {
                next.available -= amount;
                next.funding += amount;
                next.available >= 0 && next.funding >= 0
            }
            Deed::NotMoved(amount) => self.available < *amount || self.funding < -amount,
            Deed::SawSpot(available, locked) => (self.available, self.locked) == (*available, *locked),
            Deed::SawFunding(amount) => self.funding == *amount,
            Deed::SawOpen(ids) => self.open.keys().eq(ids),
        };
        right.then_some(next)
    }
}

type Configuration = (BTreeSet<usize>, Account);

/// Configurations in which operation `wanted` has taken effect, out of ones in which it may not have.
fn with_effect(
    from: BTreeSet<Configuration>,
    wanted: usize,
    running: &BTreeSet<usize>,
    history: &[Operation],
) -> BTreeSet<Configuration> {
    let mut seen = from.clone();
    let mut todo: Vec<Configuration> = from.into_iter().collect();
    let mut done = BTreeSet::new();
    while let Some((effective, account)) = todo.pop() {
        if effective.contains(&wanted) {
            let mut rest = effective;
            rest.remove(&wanted);
            done.insert((rest, account));
            continue;
        }
        for operation in running.difference(&effective) {
            let Some(next) = account.after(&history[*operation].deed) else { continue };
            let mut effective = effective.clone();
            effective.insert(*operation);
            let configuration = (effective, next);
            if seen.insert(configuration.clone()) {
                todo.push(configuration);
            }
        }
    }
    done
}

/// Looks for an order that explains the history; the operation at whose answer there is none any more.
pub(crate) fn violation(began: Account, history: &[Operation]) -> Option<String> {
    let mut events: Vec<(u64, bool, usize)> = Vec::new();
    for (index, operation) in history.iter().enumerate() {
        events.push((operation.called, false, index));
        events.push((operation.answered, true, index));
    }
    // At one moment calls come first: then the operations overlap.
    events.sort_unstable();
    let mut running = BTreeSet::new();
    let mut possible = BTreeSet::from([(BTreeSet::new(), began)]);
    for (_, answers, index) in events {
        if !answers {
            running.insert(index);
            continue;
        }
        let before = possible.clone();
        possible = with_effect(possible, index, &running, history);
        running.remove(&index);
        if possible.is_empty() {
            let others: Vec<&Operation> = running.iter().map(|other| &history[*other]).collect();
            return Some(format!("{:?} beside {others:?} cannot be, out of {before:?}", history[index]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn began() -> Account {
        Account { available: 100, funding: 10, ..Account::default() }
    }

    fn history(operations: &[(u64, u64, Deed)]) -> Vec<Operation> {
        let operation = |(called, answered, deed): &(u64, u64, Deed)| Operation {
            called: *called,
            answered: *answered,
            deed: deed.clone(),
        };
        operations.iter().map(operation).collect()
    }

    fn fits(operations: &[(u64, u64, Deed)]) -> bool {
        violation(began(), &history(operations)).is_none()
    }

    #[test]
    fn operations_that_overlap_may_take_effect_in_either_order() {
        for seen in [100, 40] {
            assert!(fits(&[(1, 9, Deed::Placed(7, 60)), (2, 3, Deed::SawSpot(seen, 100 - seen))]), "{seen}");
        }
        let both = [(1, 8, Deed::TooDear(60)), (2, 7, Deed::Placed(7, 60)), (3, 9, Deed::Canceled(7))];
        assert!(fits(&both), "refused while the other one rested");
    }

    #[test]
    fn an_answer_that_no_order_explains_is_found() {
        let placed = || Deed::Placed(7, 60);
        assert!(!fits(&[(1, 2, placed()), (3, 4, Deed::SawSpot(100, 0))]), "a stale read");
        assert!(!fits(&[(1, 2, placed()), (3, 4, Deed::Placed(8, 60))]), "money spent twice");
        assert!(
            !fits(&[(1, 2, placed()), (3, 4, Deed::Canceled(7)), (5, 6, Deed::SawOpen([7].into()))]),
            "a lost cancel"
        );
        assert!(!fits(&[(1, 2, Deed::TooDear(60))]), "refused without a reason");
        assert!(!fits(&[(1, 2, Deed::Moved(-20))]), "more than there was");
        let torn = [(1, 9, Deed::Moved(30)), (2, 3, Deed::SawSpot(70, 0)), (4, 5, Deed::SawFunding(10))];
        assert!(!fits(&torn), "half of a transfer was seen");
    }

    #[test]
    fn what_took_effect_before_the_process_ended_is_seen_after_it_or_never() {
        let unknown = (1, 5, Deed::Moved(30));
        assert!(fits(&[unknown.clone(), (6, 7, Deed::SawFunding(40))]));
        assert!(!fits(&[unknown, (6, 7, Deed::SawFunding(10)), (8, 9, Deed::SawFunding(40))]));
    }
}
