//! A whole exchange in memory: worked examples and random commands through the cell.

mod arranging;
mod events;
mod golden;
mod histories;
mod pending;
mod pending_turns;
mod prevention;
mod properties;
mod spot_orders;
mod support;
mod turns;
