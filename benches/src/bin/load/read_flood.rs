//! `load read-flood`: one address asks one call as fast as the limits let it. The attacker of `beside-reads`.
//!
//! Owns: asking, waiting after a refusal, what was told. Never does: go on while it is refused: a ban would end the attack.
//! Invariants: a refusal stops all of its connections until the time that it names. Known limits: answers are read and
//! thrown away.

use crate::Failure;
use crate::target::host_of;
use clap::Args;
use serde_json::Value;
use std::cell::Cell;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// A refusal that names no time is respected for this long.
const PAUSE: Duration = Duration::from_millis(100);

/// What is asked.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadFlood {
    /// The exchange's public address.
    #[arg(long)]
    pub(crate) url: String,
    /// The call; a POST has its form behind a space.
    #[arg(long)]
    pub(crate) path: String,
    /// Where the connections come from.
    #[arg(long, default_value = "127.0.0.2")]
    pub(crate) from: IpAddr,
    /// Connections.
    #[arg(long, default_value_t = 16)]
    pub(crate) connections: usize,
    /// For so long.
    #[arg(long = "for", default_value_t = 10.0)]
    pub(crate) seconds: f64,
}

impl ReadFlood {
    /// The arguments of a process that does this.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let ReadFlood { url, path, from, connections, seconds } = self;
        let named = [
            ("--url", url.clone()),
            ("--path", path.clone()),
            ("--from", from.to_string()),
            ("--connections", connections.to_string()),
            ("--for", seconds.to_string()),
        ];
        let named = named.into_iter().flat_map(|(name, value)| [name.to_owned(), value]);
        std::iter::once("read-flood".to_owned()).chain(named).collect()
    }
}

/// The bytes of a request.
fn request(host: &str, path: &str) -> String {
    let takes = "accept-encoding: gzip";
    match path.split_once(' ') {
        None => format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{takes}\r\n\r\n"),
        Some((path, form)) => format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\n{takes}\r\ncontent-type: application/x-www-form-urlencoded\r\n\
             content-length: {}\r\n\r\n{form}",
            form.len()
        ),
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

/// Bytes of a call's answer.
pub(crate) fn length(host: &str, path: &str) -> Result<usize, Failure> {
    let agent = agent();
    let mut answer = match path.split_once(' ') {
        None => agent.get(format!("http://{host}{path}")).call()?,
        Some((path, form)) => agent
            .post(format!("http://{host}{path}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .send(form)?,
    };
    Ok(answer.body_mut().read_to_vec()?.len())
}

/// All symbols of an exchange.
pub(crate) fn symbols(host: &str) -> Result<Vec<String>, Failure> {
    let text = agent().get(format!("http://{host}/api/v3/ticker/price")).call()?.body_mut().read_to_string()?;
    let rows: Vec<Value> = serde_json::from_str(&text)?;
    Ok(rows.iter().filter_map(|row| row["symbol"].as_str().map(str::to_owned)).collect())
}

/// What all connections did.
#[derive(Debug, Default)]
struct Tally {
    answers: Cell<u64>,
    refused: Cell<u64>,
    bytes: Cell<u64>,
    broken: Cell<u64>,
    quiet_until: Cell<Option<Instant>>,
}

fn more(cell: &Cell<u64>, by: u64) {
    cell.set(cell.get() + by);
}

/// Asks until the time is over, and tells how often it was answered.
pub(crate) fn run(args: &ReadFlood) -> Result<String, Failure> {
    let (host, address) = host_of(&args.url)?;
    let until = Instant::now() + Duration::from_secs_f64(args.seconds);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tally = Rc::new(Tally::default());
    let request: Rc<str> = request(&host, &args.path).into();
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let mut asking = JoinSet::new();
        for _ in 0..args.connections {
            asking.spawn_local(flood(args.from, address, request.clone(), tally.clone(), until));
        }
        let all = async { while asking.join_next().await.is_some() {} };
        tokio::select! {
            () = all => {}
            () = tokio::time::sleep_until(until.into()) => {}
        }
    });
    let rate = tally.answers.get() as f64 / args.seconds;
    let Tally { answers, refused, bytes, broken, .. } = &*tally;
    Ok(format!(
        "{} answers ({rate:.0} a second), {} bytes, {} refusals, {} broken connections",
        answers.get(),
        bytes.get(),
        refused.get(),
        broken.get()
    ))
}

async fn flood(from: IpAddr, address: SocketAddr, request: Rc<str>, tally: Rc<Tally>, until: Instant) {
    let (mut open, mut buffer) = (None, Vec::with_capacity(1 << 20));
    while Instant::now() < until {
        if let Some(quiet) = tally.quiet_until.get().filter(|quiet| *quiet > Instant::now()) {
            tokio::time::sleep_until(quiet.into()).await;
            continue;
        }
        match ask(&mut open, from, address, request.as_bytes(), &mut buffer).await {
            Ok(None) => {
                more(&tally.answers, 1);
                more(&tally.bytes, buffer.len() as u64);
            }
            Ok(Some(wait)) => {
                more(&tally.refused, 1);
                tally.quiet_until.set(Some(Instant::now() + wait));
            }
            Err(_) => {
                more(&tally.broken, 1);
                open = None;
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Asks once; how long to wait when that is refused.
async fn ask(
    open: &mut Option<TcpStream>,
    from: IpAddr,
    address: SocketAddr,
    request: &[u8],
    buffer: &mut Vec<u8>,
) -> std::io::Result<Option<Duration>> {
    if open.is_none() {
        let socket = TcpSocket::new_v4()?;
        socket.bind((from, 0).into())?;
        let stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        *open = Some(stream);
    }
    let stream = open.as_mut().ok_or(std::io::ErrorKind::NotConnected)?;
    stream.write_all(request).await?;
    buffer.clear();
    loop {
        if stream.read_buf(buffer).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(head) = head(buffer)
            && head.is_whole(buffer)
        {
            return Ok(head.refusal(buffer));
        }
    }
}

/// What an answer's head says.
struct Head {
    status: u16,
    from: usize,
    /// None: in chunks.
    length: Option<usize>,
    retry: Option<u64>,
}

fn head(bytes: &[u8]) -> Option<Head> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut headers);
    let Ok(httparse::Status::Complete(from)) = response.parse(bytes) else { return None };
    let number = |name: &str| {
        let header = response.headers.iter().find(|h| h.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(header.value).ok()?.parse::<u64>().ok()
    };
    let length = number("content-length").map(|length| length as usize);
    Some(Head { status: response.code.unwrap_or(0), from, length, retry: number("retry-after") })
}

impl Head {
    fn is_whole(&self, bytes: &[u8]) -> bool {
        match self.length {
            Some(length) => bytes.len() >= self.from + length,
            None => bytes.ends_with(b"0\r\n\r\n"),
        }
    }

    fn refusal(&self, bytes: &[u8]) -> Option<Duration> {
        const TOO_MANY: &[u8] = br#"{"code":1018,"#;
        match self.status {
            418 | 429 => Some(self.retry.map_or(PAUSE, Duration::from_secs)),
            _ if bytes[self.from..].starts_with(TOO_MANY) => Some(PAUSE),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_with_its_length_or_its_last_chunk_and_a_refusal_names_its_time() {
        let whole = |bytes: &[u8]| head(bytes).is_some_and(|head| head.is_whole(bytes));
        assert!(whole(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nab"));
        assert!(!whole(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab") && !whole(b"HTTP/1.1 200 OK\r\n"));
        assert!(whole(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"));
        let refusal = |bytes: &[u8]| head(bytes).unwrap().refusal(bytes);
        let late = refusal(b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(late, Some(Duration::from_secs(7)));
        assert_eq!(refusal(b"HTTP/1.1 200 OK\r\n\r\n{\"code\":1018,\"data\":null}"), Some(PAUSE));
        assert_eq!(refusal(b"HTTP/1.1 200 OK\r\n\r\n{\"code\":1,\"data\":null}"), None);
    }
}
