//! What the ops port answers from, before and after there is an exchange to ask.
//!
//! Owns: [`Front`] and the console's side of it, the check around every request. Never does: answer a request that passes.
//! Invariants: what is refused reaches no handler. Known limits: none.

use super::access::{Names, write_key};
use super::login::Doors;
use super::logs::LogTail;
use super::running::Running;
use crate::config::{Config, Ops};
use crate::observe::health::Health;
use crate::startup::exchange::Exchange;
use actix_web::HttpResponse;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::middleware::Next;
use actix_web::web::Data;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, OnceLock};
use tokio::sync::{Semaphore, watch};

/// Orders that are followed at once: each reads the journal.
const TRACES: usize = 2;

/// The ops port of a process that may still be starting.
#[derive(Debug)]
pub struct Front {
    /// The process's health.
    pub health: Arc<Health>,
    pub(super) running: OnceLock<Running>,
    names: Names,
    pub(super) console: Console,
    pub(super) traces: Arc<Semaphore>,
}

impl Front {
    /// A port without an exchange behind it yet; the console shows `logs`.
    #[must_use]
    pub fn new(config: &Config, logs: LogTail) -> Front {
        let (names, console) = (Names::new(config), Console::new(&config.ops, logs));
        let traces = Arc::new(Semaphore::new(TRACES));
        Front { health: Arc::default(), running: OnceLock::new(), names, console, traces }
    }

    /// The exchange is there, and has its data for itself: its key goes there.
    pub fn open(&self, exchange: &Exchange) {
        if let Some(key) = self.console.doors.make_key()
            && let Err(error) = write_key(&exchange.shared.config.server.data_dir, &key)
        {
            tracing::warn!(%error, "programs on this machine have no key to the ops port");
        }
        self.running.get_or_init(|| Running::new(exchange));
    }
}

/// The console's side of the ops port.
#[derive(Debug)]
pub(super) struct Console {
    pub(super) doors: Doors,
    pub(super) folder: PathBuf,
    pub(super) logs: LogTail,
    pub(super) open: AtomicUsize,
    /// Somebody makes snapshots.
    pub(super) making: AtomicBool,
    pub(super) newest: watch::Sender<Arc<str>>,
}

impl Console {
    /// A console as the settings want it.
    #[must_use]
    pub(super) fn new(settings: &Ops, logs: LogTail) -> Console {
        let (doors, folder) = (Doors::new(&settings.token), settings.static_dir.clone());
        let (open, making) = (AtomicUsize::new(0), AtomicBool::new(false));
        Console { doors, folder, logs, open, making, newest: watch::Sender::new("".into()) }
    }
}

/// Lets pass what may be asked at all.
///
/// # Errors
/// Those of the handler.
pub async fn check(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let refusal = match request.app_data::<Data<Front>>() {
        Some(front) => front.names.refusal(request.head()),
        None => Some((StatusCode::INTERNAL_SERVER_ERROR, "")),
    };
    match refusal {
        Some((status, why)) => Ok(request.into_response(HttpResponse::build(status).body(why))),
        None => next.call(request).await.map(ServiceResponse::map_into_boxed_body),
    }
}
