//! A whole exchange in memory: worked examples and random commands through the cell.

mod arranging;
mod golden;
mod properties;
mod spot_orders;
mod support;
mod turns;
