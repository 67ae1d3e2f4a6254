//! A probe of the machine for the HTTP mode: an endpoint that does nothing, on the same generator, in the same run.
//!
//! What it gives is what the generator and actix-web give at most, not what an exchange should reach: no middleware, no time
//! limits, no bound on what the kernel keeps.
//!
//! Owns: an actix-web server of two routes. Never does: understand what it is sent. Invariants: an answer has about as many
//! bytes, head included, as one to an order. Known limits: in the generator's process on this machine, a closed loop; in
//! `load standard` a private exchange idles beside it.

use crate::http::{self, By, Http};
use crate::pace::Pace;
use crate::table::Run;
use crate::target::{Market, Target};
use crate::{Failure, Span};
use actix_web::web::{Bytes, get, post};
use actix_web::{App, HttpResponse, HttpServer};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;
use xng_core::money::Amount;

/// Threads of the exchange's server as its settings have them.
const WORKERS: usize = 2;
/// Bytes of a body that makes an answer as long as one to an order, whose body is shorter and whose head is longer.
const ANSWER: usize = 620;
/// It is measured for so long at most.
const LONG: Duration = Duration::from_secs(3);

fn answer() -> String {
    let begin = r#"{"code":1,"type":"ok","message":""#;
    format!("{begin}{}\"}}", "x".repeat(ANSWER - begin.len() - 2))
}

/// Runs the closed loop of `args` against it.
pub(crate) fn endpoint(args: &Http, span: Span) -> Result<Run, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let (sender, receiver) = mpsc::channel();
    let serving = std::thread::Builder::new().name("bare".into()).spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let price = || async { HttpResponse::Ok().body(r#"{"bidPrice":"60000","askPrice":"60001"}"#) };
            let app = move || {
                let order = |_: Bytes| async { HttpResponse::Ok().content_type("application/json").body(answer()) };
                App::new()
                    .route("/api/coin/trade", post().to(order))
                    .route("/api/v3/ticker/bookTicker", get().to(price))
            };
            let server = HttpServer::new(app).workers(WORKERS).disable_signals().listen(listener)?.run();
            // Who asked waits right below.
            drop(sender.send(server.handle()));
            server.await
        })
    })?;
    let server = receiver.recv()?;
    let market = Market {
        symbol: "BTCUSDT".into(),
        currency: 1,
        legal: 3,
        tick: Amount(1_000_000),
        step: Amount(1_000),
        min_notional: Amount::whole(5),
        max_open: u64::MAX,
    };
    let tokens = vec!["0123456789abcdef0123456789abcdef".to_owned(); 32];
    let target = Target { host: address.to_string(), address, tokens, market };
    let span = Span { seconds: span.seconds.min(LONG), ..span };
    let args = Http { by: By::App, ..args.clone() };
    let mut run = http::one(&target, &[], &args, Pace::Closed(args.connections), span)?;
    run.name = format!("probe, bare endpoint, {}", Pace::Closed(args.connections).name());
    run.unit = "requests";
    // Its server is this process.
    run.notes.retain(|(name, _)| name.starts_with("generator"));
    actix_web::rt::System::new().block_on(server.stop(false));
    serving.join().map_err(|_| "the bare server panicked")??;
    Ok(run)
}
