//! Rate limits that hold over all gateways: each adds its calls to a counter of the minute and charges its own buckets
//! with what others have added.
//!
//! Owns: what this gateway has added, and what of others it has charged, in this minute.
//! Never does: delay a call; without Redis each gateway's own buckets go on limiting.
//! Invariants: a call is charged once here, and once in every other gateway. Known limits: noticed once a round: a
//! burst within it is limited by each gateway alone.

use crate::api::http::limits::Buckets;
use crate::common::time::now_ms;
use std::collections::HashMap;
use std::net::IpAddr;
use xng_core::ids::AccountId;
use xng_persistence::redis::{Pipeline, Value};

/// Counters go away this long after their minute has begun.
const SECONDS: i64 = 120;

/// Whose calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    User(AccountId),
    Address(IpAddr),
}

#[derive(Debug, Default, Clone, Copy)]
struct Counted {
    own: u64,
    charged: u64,
}

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct SharedLimits {
    minute: i64,
    counted: HashMap<Who, Counted>,
    asked: Vec<Who>,
}

impl SharedLimits {
    /// Adds this gateway's calls since the last time; the answers go to [`Self::answered`].
    pub(super) fn add(&mut self, (users, addresses): (&Buckets<AccountId>, &Buckets<IpAddr>), pipe: &mut Pipeline) {
        let minute = now_ms() / 60_000;
        if minute != self.minute {
            (self.minute, self.counted) = (minute, HashMap::new());
        }
        let users = users.take_spent().into_iter().map(|(user, n)| (Who::User(user), n));
        let addresses = addresses.take_spent().into_iter().map(|(ip, n)| (Who::Address(ip), n));
        self.asked.clear();
        for (who, calls) in users.chain(addresses) {
            let key = match who {
                Who::User(user) => format!("xng:limit:user:{user}:{minute}"),
                Who::Address(ip) => format!("xng:limit:ip:{ip}:{minute}"),
            };
            self.counted.entry(who).or_default().own += calls;
            self.asked.push(who);
            pipe.incr(&key, calls);
            pipe.expire(&key, SECONDS).ignore();
        }
    }

    /// The counters as they are now, in the order of the questions.
    pub(super) fn answered(&mut self, (users, addresses): (&Buckets<AccountId>, &Buckets<IpAddr>), answers: &[Value]) {
        for (who, answer) in self.asked.drain(..).zip(answers) {
            let (Some(counted), Value::Int(total)) = (self.counted.get_mut(&who), answer) else { continue };
            let others = total.unsigned_abs().saturating_sub(counted.own);
            let more = others.saturating_sub(counted.charged);
            counted.charged += more;
            match who {
                Who::User(user) => users.charge(user, more),
                Who::Address(ip) => addresses.charge(ip, more),
            }
        }
    }
}
