//! A hook of a test: answers what it is told to, and shows what it was asked.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

#[derive(Debug, Default)]
struct Seen {
    /// Statuses of the next answers; 200 afterwards.
    answers: Mutex<VecDeque<u16>>,
    asked: Mutex<Vec<Asked>>,
    stops: AtomicBool,
}

pub(crate) struct HookServer {
    pub(crate) port: u16,
    seen: Arc<Seen>,
}

impl HookServer {
    /// Answers with these statuses, then with 200.
    pub(crate) fn start(answers: &[u16]) -> HookServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen { answers: Mutex::new(answers.iter().copied().collect()), ..Seen::default() });
        let theirs = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if theirs.stops.load(Ordering::Relaxed) {
                    return;
                }
                drop(answer(&stream.unwrap(), &theirs));
            }
        });
        HookServer { port, seen }
    }

    /// What it was asked, in order.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.seen.asked.lock().unwrap().clone()
    }
}

impl Drop for HookServer {
    fn drop(&mut self) {
        self.seen.stops.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn answer(stream: &TcpStream, seen: &Seen) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body)?;
    seen.asked.lock().unwrap().push(Asked { headers, body: String::from_utf8(body).unwrap() });
    let status = seen.answers.lock().unwrap().pop_front().unwrap_or(200);
    let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    (&mut &*stream).write_all(head.as_bytes())
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or_else(|| panic!("no {name}: {:?}", self.headers), |(_, value)| value)
    }
}
