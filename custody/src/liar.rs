//! A node that says what a test wants.
//!
//! Owns: a socket of this machine and what it answers. Never does: know a protocol above JSON-RPC.
//! Invariants: each question gets one answer. Known limits: one question or one batch a connection; its thread ends with
//! the process.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A status and a whole text for a method.
type Says = Box<dyn FnMut(&str) -> (u16, String) + Send>;

/// Answers every question with what it is told: status and whole text, in which `ID` is the question's id.
pub(crate) struct Liar {
    pub(crate) url: String,
    pub(crate) said: Arc<Mutex<Says>>,
}

impl Liar {
    pub(crate) fn new(answer: impl FnMut(&str) -> (u16, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let said: Arc<Mutex<Says>> = Arc::new(Mutex::new(Box::new(answer)));
        let answers = Arc::clone(&said);
        thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.unwrap(), &answers);
            }
        });
        Liar { url, said }
    }

    /// Each method has one answer.
    pub(crate) fn of(results: Value) -> Self {
        Liar::new(move |method| (200, json!({ "result": results[method], "error": null, "id": "ID" }).to_string()))
    }
}

fn serve(mut stream: TcpStream, said: &Mutex<Says>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let answer = |question: &Value| {
        let (status, text) = (said.lock().unwrap())(question["method"].as_str().unwrap());
        (status, text.replace("\"ID\"", &question["id"].to_string()))
    };
    let question: Value = serde_json::from_slice(&body).unwrap();
    let (status, text) = match question.as_array() {
        // Backwards: the order is not promised.
        Some(questions) => {
            let texts: Vec<String> = questions.iter().rev().map(|question| answer(question).1).collect();
            (200, format!("[{}]", texts.join(",")))
        }
        None => answer(&question),
    };
    let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
    let _gone = stream.write_all((head + &text).as_bytes());
}
