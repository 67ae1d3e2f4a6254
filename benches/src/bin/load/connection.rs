//! One keep-alive connection: a request out, its answer in.
//!
//! Owns: the bytes of HTTP/1.1 on it. Never does: send a second request before the first is answered.
//! Invariants: an answer is read to its end. Known limits: answers tell their length.

use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// Lines of a head.
const MOST_HEADERS: usize = 64;
/// Bytes of an answer.
const MOST_BYTES: usize = 16 << 20;

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer in the connection's buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HttpAnswer<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a [u8],
}

fn ill(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what.to_owned())
}

/// Status, begin of the body and its length, when the head is whole.
fn head(bytes: &[u8]) -> Result<Option<(u16, usize, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(from) = response.parse(bytes).map_err(|e| ill(&e.to_string()))? else {
        return Ok(None);
    };
    let length = response.headers.iter().find(|h| h.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|h| std::str::from_utf8(h.value).ok()?.parse::<usize>().ok());
    let (status, length) = (response.code.unwrap_or(0), length.filter(|l| *l <= MOST_BYTES));
    match length {
        Some(length) => Ok(Some((status, from, length))),
        // An upgraded connection has no body.
        None if status == 101 => Ok(Some((status, from, 0))),
        None => Err(ill("an answer without a length")),
    }
}

impl Connection {
    /// Connects; `receive` bounds what the kernel keeps of what comes in, in bytes.
    pub(crate) async fn open(address: SocketAddr, receive: Option<u32>) -> Result<Connection> {
        Connection::open_from(None, address, receive).await
    }

    /// Connects from an address of this machine.
    pub(crate) async fn open_from(
        local: Option<IpAddr>,
        address: SocketAddr,
        receive: Option<u32>,
    ) -> Result<Connection> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        if let Some(bytes) = receive {
            socket.set_recv_buffer_size(bytes)?;
        }
        if let Some(local) = local {
            socket.bind((local, 0).into())?;
        }
        let stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: Vec::with_capacity(8_192) })
    }

    /// Sends a request and reads its answer.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> Result<HttpAnswer<'_>> {
        self.buffer.clear();
        self.stream.write_all(request).await?;
        let (status, from, length) = loop {
            self.more().await?;
            if let Some(head) = head(&self.buffer)? {
                break head;
            }
        };
        while self.buffer.len() < from + length {
            self.more().await?;
        }
        Ok(HttpAnswer { status, body: &self.buffer[from..from + length] })
    }

    async fn more(&mut self) -> Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// The connection itself, after its protocol was changed, and what has come in the new one.
    pub(crate) fn into_parts(self) -> Result<(std::net::TcpStream, Vec<u8>)> {
        let behind = head(&self.buffer)?.map_or(0, |(_, from, _)| from);
        Ok((self.stream.into_std()?, self.buffer[behind..].to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_when_its_head_and_length_are_there() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(head(&bytes[..20]).unwrap(), None);
        assert_eq!(head(bytes).unwrap(), Some((200, 38, 3)));
        assert!(head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(head(b"nonsense\r\n\r\n").is_err());
    }
}
