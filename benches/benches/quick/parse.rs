//! Bodies of `POST /coin/trade`, as a form and as JSON, to what the account is asked.
//!
//! Stands for: the gateway's own work for an order between the HTTP server and the cell. A regression costs
//! processor time of the gateway's threads, which the cell's thread shares cores with.

use crate::measure;
use criterion::Criterion;
use xng_benches::parts::calls::Parsing;

pub(crate) fn benches(c: &mut Criterion) {
    measure(c, "parse", "form", &Parsing::form());
    measure(c, "parse", "json", &Parsing::json());
}
