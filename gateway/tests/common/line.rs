//! A line to a server that can be cut, slow, or dead without anybody being told.
#![allow(dead_code, reason = "each test target uses a part")]

use socket2::{Domain, SockAddr, Socket, Type};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What becomes of bytes on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    Good,
    /// Each piece waits for `delay`, and so many bytes come through in a second each way.
    Slow {
        delay: Duration,
        bytes_per_second: u64,
    },
    /// Bytes vanish. A connection that lost any stays half-open: neither side hears of the other again.
    Dead,
}

/// A port in front of a server.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) port: u16,
    shared: Arc<LineState>,
}

struct LineState {
    quality: Mutex<Quality>,
    open: Mutex<Vec<Socket>>,
}

impl Line {
    /// To a port of this machine.
    pub(crate) fn to(port: u16) -> Line {
        Line::new(Domain::IPV4, SockAddr::from(SocketAddr::from(([127, 0, 0, 1], port))))
    }

    /// To a unix socket.
    pub(crate) fn to_socket(path: &Path) -> Line {
        Line::new(Domain::UNIX, SockAddr::unix(path).unwrap())
    }

    fn new(domain: Domain, target: SockAddr) -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let shared = Arc::new(LineState { quality: Mutex::new(Quality::Good), open: Mutex::default() });
        let line = Line { port: listener.local_addr().unwrap().port(), shared: shared.clone() };
        std::thread::spawn(move || {
            for here in listener.incoming() {
                let (here, there) = (Socket::from(here.unwrap()), Socket::new(domain, Type::STREAM, None).unwrap());
                // Who calls a server that is away is hung up on.
                if there.connect(&target).is_ok() {
                    join(&here, &there, &shared);
                }
            }
        });
        line
    }

    /// From now on, also for what is under way.
    pub(crate) fn set(&self, quality: Quality) {
        *self.shared.quality.lock().unwrap() = quality;
    }

    /// Cuts what is open; how many ends that were.
    pub(crate) fn cut(&self) -> usize {
        let open: Vec<Socket> = self.shared.open.lock().unwrap().drain(..).collect();
        open.iter().filter(|socket| socket.shutdown(Shutdown::Both).is_ok()).count()
    }
}

fn join(here: &Socket, there: &Socket, shared: &Arc<LineState>) {
    let lost = Arc::new(AtomicBool::new(false));
    let twin = |socket: &Socket| socket.try_clone().unwrap();
    shared.open.lock().unwrap().extend([twin(here), twin(there)]);
    for (from, to) in [(twin(here), twin(there)), (twin(there), twin(here))] {
        let (shared, lost) = (shared.clone(), lost.clone());
        std::thread::spawn(move || copy(from, to, &shared, &lost));
    }
}

fn copy(mut from: Socket, mut to: Socket, shared: &LineState, lost: &AtomicBool) {
    let mut buffer = [0; 4_096];
    while let Ok(n @ 1..) = from.read(&mut buffer) {
        let quality = *shared.quality.lock().unwrap();
        match quality {
            Quality::Good => {}
            Quality::Slow { delay, bytes_per_second } => {
                std::thread::sleep(delay + Duration::from_micros(n as u64 * 1_000_000 / bytes_per_second));
            }
            Quality::Dead => lost.store(true, Ordering::Relaxed),
        }
        if !lost.load(Ordering::Relaxed) && to.write_all(&buffer[..n]).is_err() {
            break;
        }
    }
    if !lost.load(Ordering::Relaxed) {
        // Either side may be gone already.
        let _ = to.shutdown(Shutdown::Both);
    }
}
