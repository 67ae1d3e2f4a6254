//! Readers of the real binary's websockets: one that reads, and one that does not.
#![allow(dead_code, reason = "each test target uses a part")]

use crate::client::Server;
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket, connect};

pub(crate) struct Socket(pub(crate) WebSocket<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub(crate) fn open(server: &Server, path: &str) -> Socket {
        let (socket, _) = connect(format!("ws://127.0.0.1:{}{path}", server.port)).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        }
        Socket(socket)
    }

    pub(crate) fn send(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).unwrap();
    }

    pub(crate) fn next(&mut self) -> Value {
        loop {
            match self.0.read().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("a text, not {other:?}"),
            }
        }
    }

    /// Skips frames until one fits.
    pub(crate) fn until(&mut self, mut fits: impl FnMut(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let frame = self.next();
            if fits(&frame) {
                return frame;
            }
            assert!(Instant::now() < end, "no such frame; the last was {frame}");
        }
    }
}

/// Subscribes to streams and never reads; its side of the line holds little.
pub(crate) fn stalled(server: &Server, streams: &[&str]) -> WebSocket<TcpStream> {
    stalled_after(server, "/ws", &json!({ "method": "SUBSCRIBE", "params": streams, "id": 1 }))
}

/// Says one thing and never reads; its side of the line holds little.
pub(crate) fn stalled_after(server: &Server, path: &str, frame: &Value) -> WebSocket<TcpStream> {
    let narrow = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    narrow.set_recv_buffer_size(4_096).unwrap();
    narrow.connect(&SocketAddr::from(([127, 0, 0, 1], server.port)).into()).unwrap();
    let url = format!("ws://127.0.0.1:{}{path}", server.port);
    let (mut stalled, _) = tungstenite::client(url, TcpStream::from(narrow)).unwrap();
    stalled.send(Message::text(frame.to_string())).unwrap();
    stalled
}
