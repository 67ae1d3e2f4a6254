//! Metrics of chains: how far each was read, its node, what is held, what came, what left and what
//! waits to leave.
//!
//! Owns: these families. Never does: count. Invariants: each chain of the settings has its series once it is listed. Known limits:
//! deposits are counted from this start on.

use super::text::Text;
use crate::app::Shared;
use crate::common::time::now_ms;
use crate::custody::chains::ChainStatus;

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let chains = shared.chains.all();
    let mut family = t.gauge("xng_chain_height", "Height of the last final block that was read.");
    for chain in &chains {
        family.sample(&[("chain", &chain.params.name)], chain.cursor.map_or(0, |cursor| cursor.height));
    }
    let mut family = t.gauge("xng_chain_node_height", "Height of the best block of a chain's node.");
    for chain in &chains {
        family.sample(&[("chain", &chain.params.name)], chain.node.map_or(0, |node| node.tip));
    }
    let mut family =
        t.gauge("xng_chain_read", "1 while a chain is read: its node answers, and nothing final there waits.");
    for chain in &chains {
        family.sample(&[("chain", &chain.params.name)], u8::from(chain.is_read(now_ms())));
    }
    let mut family = t.gauge("xng_chain_halted", "1 while nothing is taken from a chain.");
    for chain in &chains {
        family.sample(&[("chain", &chain.params.name)], u8::from(chain.halted.is_some()));
    }
    let mut family = t.gauge("xng_chain_addresses", "Addresses of users that are looked for.");
    for chain in &chains {
        family.sample(&[("chain", &chain.params.name)], chain.addresses);
    }
    let mut family = t.gauge(
        "xng_chain_reserve_checked_seconds",
        "When a chain's coins were looked up at its node, in Unix time; 0 before the first check since the start.",
    );
    for chain in chains.iter().filter(|chain| shared.chains.has_node(chain.params.chain)) {
        let at_ms = chain.checked_ms();
        family.sample(&[("chain", &chain.params.name)], at_ms / 1_000);
    }
    // Of a chain that holds nothing there is no statement.
    let holds = |id| chains.iter().any(|of| of.params.chain == id && of.assets.iter().any(|asset| asset.held.0 > 0));
    let published = shared.config.chain.iter().filter(|chain| chain.publish_reserves && holds(chain.chain()));
    let mut family = t.gauge(
        "xng_chain_reserves_published_seconds",
        "When the newest statement of a chain's reserves was made, in Unix time; without one when the process started.",
    );
    for chain in published {
        family.sample(&[("chain", &chain.name)], shared.statements.newest_ms(chain) / 1_000);
    }
    let mut family =
        t.gauge("xng_chain_reserve_missing", "1 when the node did not show all coins that are ours at the last check.");
    for chain in &chains {
        let missing = chain.assets.iter().filter_map(|asset| asset.reserve).any(|seen| !seen.fact.is_whole());
        family.sample(&[("chain", &chain.params.name)], u8::from(missing));
    }
    let paying: Vec<&ChainStatus> = chains.iter().filter(|chain| chain.pays()).collect();
    let mut family =
        t.gauge("xng_withdrawals_open", "Open withdrawals: those that wait for people, and those that are to be paid.");
    for chain in &paying {
        let counts = chain.withdrawals;
        for (stage, count) in [("pending", counts.pending), ("approved", counts.approved)] {
            family.sample(&[("chain", &chain.params.name), ("stage", stage)], count);
        }
    }
    let mut family =
        t.gauge("xng_withdrawals_oldest_seconds", "How long the oldest open withdrawal waits; 0 without one.");
    for chain in &paying {
        let counts = chain.withdrawals;
        for (stage, since) in [("pending", counts.pending_since_ms), ("approved", counts.approved_since_ms)] {
            let waits = if since == 0 { 0 } else { (now_ms() - since).max(0) / 1_000 };
            family.sample(&[("chain", &chain.params.name), ("stage", stage)], waits);
        }
    }
    let mut family = t.gauge("xng_withdrawals_paying", "1 while nothing keeps withdrawals from being paid.");
    for chain in &paying {
        family.sample(&[("chain", &chain.params.name)], u8::from(chain.unpaid.is_none()));
    }
    let mut family = t.counter("xng_withdrawals_paid_total", "Withdrawals that were paid over a chain.");
    for chain in &paying {
        family.sample(&[("chain", &chain.params.name)], chain.paid);
    }
    let mut family = t.counter("xng_chain_deposits_total", "Outputs that came to addresses of users.");
    for chain in &chains {
        family.sample(&[("chain", &chain.params.name)], chain.credited);
    }
}
