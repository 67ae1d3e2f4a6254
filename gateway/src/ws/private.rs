//! Private events: what the cell says of a watched account goes to the sockets that are logged in as it.
//!
//! One hub a thread. Invariants: a session first gets its snapshot, then every event with a higher sequence, in order;
//! events that come before the snapshot wait for it.
//! Owns: who listens to which account on this thread. Never does: ask the store. Known limits: an account is watched
//! once a thread, whatever its sockets.

use super::outbox::Outbox;
use crate::auth::Kick;
use crate::calls::rows;
use crate::catalog::Catalog;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use xng_core::account::{AccountEvent, AccountView};
use xng_core::ids::AccountId;
use xng_runtime::Client;

/// Events that wait for a snapshot at most.
const MOST_EARLY: usize = 1_024;

struct Reader {
    outbox: Arc<Outbox>,
    session: [u8; 32],
    progress: Progress,
}

enum Progress {
    /// The snapshot is on its way; these came before it.
    Waiting(Vec<Arc<AccountEvent>>),
    /// The snapshot told everything up to this sequence.
    After(u64),
}

/// Who reads which account's events on this thread.
#[derive(Default)]
pub struct PrivateHub {
    readers: RefCell<BTreeMap<AccountId, Vec<Reader>>>,
}

impl std::fmt::Debug for PrivateHub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "private events of {} accounts", self.readers.borrow().len())
    }
}

impl PrivateHub {
    /// A session logged in: the account is watched, its events wait for the snapshot.
    pub fn join(&self, client: &Client, account: AccountId, session: [u8; 32], outbox: Arc<Outbox>) {
        self.leave(client, outbox.id);
        let mut readers = self.readers.borrow_mut();
        let list = readers.entry(account).or_default();
        if list.is_empty() {
            client.watch(account);
        }
        list.push(Reader { outbox, session, progress: Progress::Waiting(Vec::new()) });
    }

    /// The snapshot is there: it goes first, then what waited and is newer.
    pub fn begin(&self, view: &AccountView, outbox: u64, catalog: &Catalog) {
        let mut readers = self.readers.borrow_mut();
        let reader = readers.get_mut(&view.account).and_then(|l| l.iter_mut().find(|r| r.outbox.id == outbox));
        let Some(reader) = reader else { return };
        let held = |b: &&xng_core::account::Balance| !(b.available.is_zero() && b.locked.is_zero());
        let wallets: Vec<Value> = view.balances.iter().filter(held).map(|b| rows::wallet(b, catalog)).collect();
        let orders: Vec<Value> = view.open.iter().map(|o| rows::order(view.account, o, catalog)).collect();
        let data = json!({ "wallets": wallets, "orders": orders });
        let snapshot = json!({ "event": "snapshot", "seq": view.seq, "data": data }).to_string();
        let mut texts: Vec<Arc<str>> = vec![snapshot.into()];
        if let Progress::Waiting(early) = std::mem::replace(&mut reader.progress, Progress::After(view.seq)) {
            texts.extend(early.iter().filter(|e| e.seq > view.seq).flat_map(|event| frames(event, catalog)));
        }
        reader.outbox.push_texts(texts);
    }

    /// Hands an event to its readers.
    pub fn event(&self, event: AccountEvent, catalog: &Catalog) {
        let mut readers = self.readers.borrow_mut();
        let Some(list) = readers.get_mut(&event.account) else { return };
        let event = Arc::new(event);
        let mut texts: Option<Vec<Arc<str>>> = None;
        for reader in list {
            match &mut reader.progress {
                // Its snapshot does not come: it logs in again on a new connection.
                Progress::Waiting(early) if early.len() >= MOST_EARLY => reader.outbox.cut(),
                Progress::Waiting(early) => early.push(event.clone()),
                Progress::After(seq) if event.seq <= *seq => {}
                Progress::After(_) => {
                    let made = texts.get_or_insert_with(|| frames(&event, catalog));
                    reader.outbox.push_texts(made.iter().cloned());
                }
            }
        }
    }

    /// A session logged out or ended.
    pub fn leave(&self, client: &Client, outbox: u64) {
        self.remove(client, |r| r.outbox.id == outbox, |_| {});
    }

    /// A token died.
    pub fn kick(&self, client: &Client, kick: &Kick) {
        let text = kicked(kick.reason);
        self.remove(client, |r| r.session == kick.session, |r| r.outbox.push_text(text.as_str()));
    }

    /// Some tokens died and nobody knows which.
    pub fn kick_ended(&self, client: &Client, is_alive: impl Fn(&[u8; 32]) -> bool) {
        let text = kicked("expired");
        self.remove(client, |r| !is_alive(&r.session), |r| r.outbox.push_text(text.as_str()));
    }

    fn remove(&self, client: &Client, matches: impl Fn(&Reader) -> bool, each: impl Fn(&Reader)) {
        self.readers.borrow_mut().retain(|account, list| {
            list.retain(|r| {
                let gone = matches(r);
                if gone {
                    each(r);
                }
                !gone
            });
            if list.is_empty() {
                client.unwatch(*account);
            }
            !list.is_empty()
        });
    }
}

fn kicked(reason: &str) -> String {
    json!({ "event": "kicked", "data": { "reason": reason } }).to_string()
}

/// The frames of one event, serialised once for all readers.
fn frames(event: &AccountEvent, catalog: &Catalog) -> Vec<Arc<str>> {
    let seq = event.seq;
    let mut frames: Vec<Arc<str>> = Vec::new();
    for (order, _) in &event.orders {
        let row = rows::order(event.account, order, catalog);
        let fills = event.fills.iter().filter(|f| f.order == order.order).map(|f| {
            let mut row = row.clone();
            row["fill"] = rows::event_fill(f, catalog);
            row
        });
        let mut all: Vec<Value> = fills.collect();
        if all.is_empty() {
            all.push(row);
        }
        for data in all {
            frames.push(json!({ "event": "coin_order", "seq": seq, "data": data }).to_string().into());
        }
    }
    if event.orders.is_empty() && event.wallets.is_empty() {
        // A change of level or status: told, so that no number is missing.
        frames.push(json!({ "event": "account", "seq": seq, "data": {} }).to_string().into());
    }
    if !event.wallets.is_empty() {
        let data: Vec<Value> = event.wallets.iter().map(|b| rows::wallet(b, catalog)).collect();
        frames.push(json!({ "event": "wallet", "seq": seq, "data": data }).to_string().into());
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_without_wallets_and_orders_leaves_no_gap_in_the_sequence() {
        let account = AccountId(100_001);
        let (wallets, orders, fills) = (Vec::new(), Vec::new(), Vec::new());
        let event = AccountEvent { account, seq: 7, time: 1, wallets, orders, fills, list: None };
        let told: Vec<Value> =
            frames(&event, &Catalog::default()).iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        assert_eq!(told, [json!({ "event": "account", "seq": 7, "data": {} })]);
    }
}
