//! What it costs to watch the actors: the same cell with and without its meter, turn by turn in one run.
//!
//! Stands for: the counting of every message and the measuring of one in 251 that `engine/runtime` does while it drives a
//! cell. A ratio that falls below 0.99 means that watching costs more than a hundredth of the engine.
//!
//! Owns: the rounds and what is said of them. Never does: touch a disk. Invariants: both ways see orders of the same kind
//! on the same state, each way first as often as second. Known limits: on a machine that is busy otherwise the
//! first decile says most; `ROUNDS` sets how many turns of each way there are.

use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_benches::{Dice, Nowhere, Size, busy_cell, number, order, report, tell};
use xng_cell::cell::ADMIT;
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Plain, Probe};
use xng_runtime::meter::{ActorMeters, Meter};

const SIZE: Size = Size { accounts: 10_000, markets: 1 };
type Bare = Cell<Plain, Nowhere, ManualClock>;

/// Time of one turn with its orders.
fn look<P: Probe>(cell: &mut Bare, dice: &mut Dice, probe: &mut P, turned: impl Fn(&mut P, &Bare)) -> Duration {
    (0..ADMIT).for_each(|_| tell(cell, order(dice, SIZE)));
    let began = Instant::now();
    while cell.turn_with_probe(probe, |_, _| {}) {
        turned(probe, cell);
    }
    began.elapsed()
}

fn main() {
    let (mut cell, mut dice) = (busy_cell(Nowhere::default(), SIZE), Dice(2));
    let mut meter = Meter::new(Arc::new(ActorMeters::default()));
    let rounds = number("ROUNDS", 20_000);
    let mut took: [Vec<u64>; 2] = Default::default();
    for round in 0..rounds {
        for way in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            let turn = match way {
                0 => look(&mut cell, &mut dice, &mut (), |_, _| {}),
                _ => look(&mut cell, &mut dice, &mut meter, |m, cell| m.turned(cell.queued() == 0, cell.latest())),
            };
            took[way].push(u64::try_from(turn.as_nanos()).expect("a turn ends"));
        }
    }
    took.iter_mut().for_each(|turns| turns.sort_unstable());
    // The fast ones are those that nobody disturbed.
    for (name, share) in [("first decile", 0.1), ("first quartile", 0.25), ("median", 0.5)] {
        let [bare, watched] = [0, 1].map(|way| took[way][(rounds as f64 * share) as usize] as f64 / ADMIT as f64);
        let ratio = bare / watched;
        report(&format!("{name} of {rounds} turns: an order {bare:.1} ns, watched {watched:.1} ns, ratio {ratio:.4}"));
    }
}
