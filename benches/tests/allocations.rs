//! Matching in steady state takes no memory from the allocator: nothing an order does waits for one.

use xng_benches::flow::{Engine, Ours, flow};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const RESTING: usize = 10_000;
const OPS: usize = 200_000;

#[test]
fn a_book_in_steady_state_allocates_nothing() {
    let list = flow(11, RESTING, 2 * OPS);
    let (before, steady) = list.split_at(list.len() - OPS);
    let (mut ours, mut fills, mut filled) = (Ours::empty(), Vec::with_capacity(1_024), 0);
    for (n, op) in (1..).zip(before) {
        ours.apply(n, *op, &mut fills);
    }
    let profiler = dhat::Profiler::builder().testing().build();
    for (n, op) in (before.len() as u64 + 1..).zip(steady) {
        ours.apply(n, *op, &mut fills);
        filled += fills.len();
    }
    let blocks = dhat::HeapStats::get().total_blocks;
    drop(profiler);
    assert!(filled > OPS / 10, "orders met: {filled}");
    assert_eq!(blocks, 0, "allocations in {OPS} operations with {filled} fills");
}
