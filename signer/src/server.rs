//! The unix socket: a line asked, a line answered.
//!
//! Owns: connections and their bounds. Never does: know what a question means. Invariants: the socket's mode is 0600; one
//! question is decided at a time; a log that cannot be written ends the process. Known limits: one user, without TLS.

use crate::desk::Desk;
use crate::protocol::{Answer, Question, Refusal};
use std::fs::{self, Permissions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use std::{process, thread};

/// A question at most; 100 inputs and 50 payments come to about 25 KiB.
const QUESTION_BYTES: u64 = 128 * 1024;
/// Connections at a time.
const CONNECTIONS: usize = 16;
/// A connection that asks nothing for so long is closed.
const IDLE: Duration = Duration::from_secs(60);

/// Answers until the process is ended.
pub(crate) fn serve(socket: &Path, desk: Desk) -> io::Result<()> {
    // The log's lock says that no other signer runs, so a socket that is there is an old one. Nothing else is removed.
    if fs::symlink_metadata(socket).is_ok_and(|old| old.file_type().is_socket()) {
        fs::remove_file(socket)?;
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, Permissions::from_mode(0o600))?;
    eprintln!("exchange-signer: answering on {}", socket.display());
    let desk = Arc::new(Mutex::new(desk));
    // Each connection holds one, and is not served without.
    let places = Arc::new(());
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Who connected is gone already, or there is no room for one more; it comes again.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        let place = Arc::clone(&places);
        if Arc::strong_count(&places) > CONNECTIONS + 1 {
            continue;
        }
        let desk = Arc::clone(&desk);
        thread::spawn(move || {
            // Who asked may have gone.
            let _gone = answer_all(&stream, &desk);
            drop(place);
        });
    }
    Ok(())
}

fn answer_all(stream: &UnixStream, desk: &Mutex<Desk>) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(IDLE))?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        reader.by_ref().take(QUESTION_BYTES).read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            // Too long, or cut off: what follows has no beginning.
            return if line.is_empty() { Ok(()) } else { tell(stream, &Refusal::Malformed("no line".into()).into()) };
        }
        let answer = match serde_json::from_slice::<Question>(&line) {
            Err(error) => Refusal::Malformed(error.to_string()).into(),
            Ok(question) => {
                // A panic while deciding leaves a state that nobody knows.
                let Ok(mut desk) = desk.lock() else { stop("it panicked before") };
                desk.answer(question, SystemTime::now()).unwrap_or_else(|e| stop(&e.to_string()))
            }
        };
        tell(stream, &answer)?;
    }
}

fn tell(mut stream: &UnixStream, answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// Ends without an answer: a later start reads what is on disk.
fn stop(why: &str) -> ! {
    eprintln!("exchange-signer: stops, as {why}");
    process::exit(1)
}
