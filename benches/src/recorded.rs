//! Recorded order-by-order feeds as flows for books.
//!
//! Owns: how a feed's rows become operations. Never does: keep a recording; they are read where the variable DATA says
//! (default `../shared/data` beside the repository), and left out where they are not.
//! Invariants: an order that came before the recording began is never named. Known limits: reductions and hidden orders are
//! left out, because not every engine knows them; an execution is an order of the other side at its price.

use crate::flow::Op;
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use xng_core::spot::Side;

/// The recordings that are there, by name.
///
/// # Errors
/// When one cannot be read.
pub fn recordings() -> io::Result<Vec<(&'static str, Vec<Op>)>> {
    let default = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data").into();
    let folder: PathBuf = std::env::var_os("DATA").map_or_else(default, PathBuf::from);
    let known: [(_, _, Step); 2] = [
        ("recorded stock", "restricted/l3_lobster_goog_20120621_level10_messages.csv.gz", Flow::lobster),
        ("recorded coin", "copyleft/l3_bitstamp_btcusd_20150501.csv.gz", Flow::bitstamp),
    ];
    let mut found = Vec::new();
    for (name, path, step) in known {
        match File::open(folder.join(path)) {
            Ok(file) => found.push((name, flow_of(GzDecoder::new(file), step)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

type Row = BTreeMap<String, String>;
/// What one row does; none when it is of something else.
type Step = fn(&mut Flow, &Row) -> Option<()>;

fn flow_of(source: impl Read, step: Step) -> io::Result<Vec<Op>> {
    let mut flow = Flow::default();
    for row in csv::Reader::from_reader(source).into_deserialize::<Row>() {
        // A row of something else, or one that names what is not there, is no operation.
        let _ = step(&mut flow, &row?);
    }
    Ok(flow.ops)
}

#[derive(Default)]
struct Flow {
    ops: Vec<Op>,
    /// The feed's orders that may rest: the operation that brought each.
    live: BTreeMap<u64, u64>,
}

impl Flow {
    fn add(&mut self, id: u64, side: Side, ticks: i64, lots: i64) {
        if ticks > 0 && lots > 0 {
            self.ops.push(Op::Limit { side, ticks, lots });
            self.live.insert(id, self.ops.len() as u64);
        }
    }

    fn cancel(&mut self, id: u64) -> Option<()> {
        let id = self.live.remove(&id)?;
        self.ops.push(Op::Cancel { id });
        Some(())
    }

    /// LOBSTER: 1 comes, 3 goes, 4 is executed; `direction` is the resting order's; prices in hundredths of a cent.
    fn lobster(&mut self, row: &Row) -> Option<()> {
        let number = |name: &str| row.get(name)?.parse::<i64>().ok();
        let (id, side) = (number("order_id")? as u64, if number("direction")? == 1 { Side::Buy } else { Side::Sell });
        let (ticks, lots) = (number("price_x10000")? / 100, number("size")?);
        match number("type")? {
            1 => self.add(id, side, ticks, lots),
            3 => self.cancel(id)?,
            4 if self.live.contains_key(&id) => self.ops.push(Op::Limit { side: side.opposite(), ticks, lots }),
            _ => {}
        }
        Some(())
    }

    /// Bitstamp: an order comes, and trades by itself when it crosses; or goes.
    fn bitstamp(&mut self, row: &Row) -> Option<()> {
        let id = row.get("id")?.parse().ok()?;
        match row.get("event")?.as_str() {
            "created" => {
                let side = if row.get("side")? == "bid" { Side::Buy } else { Side::Sell };
                self.add(id, side, scaled(row.get("price")?, 2)?, scaled(row.get("amount")?, 8)?);
            }
            "deleted" => self.cancel(id)?,
            _ => {}
        }
        Some(())
    }
}

/// A decimal text with so many places as a whole number.
fn scaled(text: &str, places: usize) -> Option<i64> {
    let (whole, frac) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{:0<places$}", frac.get(..places.min(frac.len()))?).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(side: Side, ticks: i64, lots: i64) -> Op {
        Op::Limit { side, ticks, lots }
    }

    #[test]
    fn a_lobster_feed_is_orders_cancels_and_what_executes_them() {
        let rows = "seq,time_s,type,order_id,size,price_x10000,direction\n\
            1,0.1,1,70,5,5794000,1\n2,0.2,1,71,6,5795000,-1\n3,0.3,4,70,2,5794000,1\n4,0.4,3,71,6,5795000,-1\n\
            5,0.5,3,99,1,1,1\n6,0.6,4,99,1,1,1\n7,0.7,2,70,1,5794000,1\n";
        let expected = [
            limit(Side::Buy, 57_940, 5),
            limit(Side::Sell, 57_950, 6),
            limit(Side::Sell, 57_940, 2),
            Op::Cancel { id: 2 },
        ];
        assert_eq!(flow_of(rows.as_bytes(), Flow::lobster).unwrap(), expected);
    }

    #[test]
    fn a_bitstamp_feed_is_orders_and_cancels() {
        let rows = "seq,recv_ms,event,id,order_datetime_s,side,price,amount\n\
            1,1,created,5,1,bid,236.47,2.00000000\n2,2,changed,5,1,bid,236.47,1.5\n3,3,trade,9,,,236.47,0.5\n\
            4,4,created,6,1,ask,236.5,0.00000001\n5,5,deleted,5,1,bid,236.47,0.0\n6,6,deleted,4,1,bid,1.0,0.0\n";
        let expected = [limit(Side::Buy, 23_647, 200_000_000), limit(Side::Sell, 23_650, 1), Op::Cancel { id: 1 }];
        assert_eq!(flow_of(rows.as_bytes(), Flow::bitstamp).unwrap(), expected);
    }
}
