//! Requests as bytes, from any address of this machine.

use crate::client::Server;
use socket2::{Domain, Socket, Type};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// Sends bytes and reads an answer: its head in small letters, and its body.
pub(crate) fn ask(server: &Server, request: &str) -> (String, Vec<u8>) {
    ask_from(Ipv4Addr::LOCALHOST.into(), server, request)
}

/// As [`ask`], from an address of 127.0.0.0/8.
pub(crate) fn ask_from(from: IpAddr, server: &Server, request: &str) -> (String, Vec<u8>) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
    socket.connect(&SocketAddr::from((Ipv4Addr::LOCALHOST, server.port)).into()).unwrap();
    let mut stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let (mut bytes, mut part) = (Vec::new(), [0; 65_536]);
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&part[..read]);
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
    let length: usize = header(&head, "content-length").unwrap_or_else(|| panic!("no length: {head}")).parse().unwrap();
    let mut body = bytes[end + 4..].to_vec();
    while body.len() < length {
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "{} of {length} bytes: {head}", body.len());
        body.extend_from_slice(&part[..read]);
    }
    assert_eq!(body.len(), length, "{head}");
    (head, body)
}

/// A header of such a head.
pub(crate) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}
