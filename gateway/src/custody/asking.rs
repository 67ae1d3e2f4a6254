//! Commands of whoever follows a chain's node, and their answers.
//!
//! Owns: a port of the cell's. Never does: decide what is sent. Invariants: one command at a time. Known limits: answers are waited
//! for by looking.

use std::time::{Duration, Instant};
use xng_cell::{Egress, Envelope, Ingress, PortId, Ticket};
use xng_core::chain::{ChainCommand, ChainId};
use xng_core::entity::{Command, Reply};
use xng_core::record::{Cause, Origin};
use xng_runtime::CellHandle;
use xng_runtime::thread::PortReceiver;

/// An answer of the cell, and the record behind it, are waited for so long.
pub(super) const ANSWER: Duration = Duration::from_secs(10);
/// How long nothing happens before it is looked again.
pub(super) const LOOK: Duration = Duration::from_millis(1);

/// See the module's header.
#[derive(Debug)]
pub(super) struct Asking {
    chain: ChainId,
    cell: CellHandle,
    port: PortId,
    answers: PortReceiver,
    next_token: u64,
}

impl Asking {
    pub(super) fn new(chain: ChainId, cell: &CellHandle) -> Asking {
        let (port, answers) = cell.open_port();
        Asking { chain, cell: cell.clone(), port, answers, next_token: 0 }
    }

    /// What the chain answers; none in time.
    pub(super) fn ask(&mut self, command: ChainCommand) -> Option<Reply> {
        self.next_token += 1;
        let token = self.next_token;
        let ticket = Some(Ticket { port: self.port, token });
        let command = Command::Chain(self.chain, command);
        let (origin, cause) = (Origin::System, Cause::Request);
        self.cell.send_all(vec![Ingress::Command(Envelope { ticket, origin, cause, command })]);
        let began = Instant::now();
        while began.elapsed() < ANSWER {
            match self.answers.try_recv() {
                Ok(batch) => {
                    let its = |egress| if let Egress::Reply(of, reply) = egress { Some((of, reply)) } else { None };
                    if let Some((_, reply)) = batch.into_iter().filter_map(its).find(|(of, _)| *of == token) {
                        return Some(reply);
                    }
                }
                Err(_) => std::thread::sleep(LOOK),
            }
        }
        None
    }
}
