//! The smallest server that those who ask for numbers need: `GET` of a path, an answer, the end of the connection.
//!
//! Who connects and says nothing, or one byte a second, costs a place for `HEAD_TIME` and no more; when all places are taken
//! others wait in the system's queue. No bodies, no keep-alive, no chunks, so none of their errors; a library would bring 40
//! crates and, as they come, no time-out for the head of a request.
//!
//! Source: RFC 9112, sections 2 to 6, 9.6.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tracing::warn;

/// The head of a request must have come within this.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// The answer must have gone within this.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// No head of a request is longer.
const LONGEST_HEAD: usize = 8 << 10;
/// Connections at a time.
const MOST_CONNECTIONS: usize = 16;
/// When the system gives no connections, for lack of files say, it is asked again after this.
const AGAIN: Duration = Duration::from_millis(200);

/// What is answered: a status like `200 OK`, the type of the text, the text.
pub type Response = (&'static str, &'static str, String);

/// Answers requests for paths until it is dropped.
///
/// # Errors
///
/// When the address cannot be had.
pub async fn serve(
    address: SocketAddr,
    answer: impl Fn(&str) -> Response + Send + Sync + 'static,
) -> std::io::Result<()> {
    let listener = TcpListener::bind(address).await?;
    let (answer, places) = (Arc::new(answer), Arc::new(Semaphore::new(MOST_CONNECTIONS)));
    tokio::spawn(async move {
        loop {
            // A place first: who has none stays in the queue of the system.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let answer = Arc::clone(&answer);
                    tokio::spawn(async move {
                        // Who went away does not get an answer, and needs none.
                        let _ = converse(stream, &*answer).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    warn!("connections for numbers: {error}");
                    sleep(AGAIN).await;
                }
            }
        }
    });
    Ok(())
}

async fn converse(mut stream: TcpStream, answer: &(impl Fn(&str) -> Response + ?Sized)) -> std::io::Result<()> {
    let response = match timeout(HEAD_TIME, head(&mut stream)).await {
        Ok(head) => respond(head?.as_deref(), answer),
        Err(_) => plain("408 Request Timeout", "the request did not come\n"),
    };
    let (status, kind, text) = response;
    let message = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Connection: close\r\n\r\n{text}",
        text.len()
    );
    timeout(ANSWER_TIME, async {
        stream.write_all(message.as_bytes()).await?;
        stream.shutdown().await
    })
    .await?
}

/// The head of a request, with its empty line; `None` if it is too long or ends early.
async fn head(stream: &mut TcpStream) -> std::io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    let mut part = [0; 1024];
    loop {
        let count = stream.read(&mut part).await?;
        head.extend_from_slice(&part[..count]);
        if head.windows(4).any(|window| window == b"\r\n\r\n") {
            return Ok(Some(head));
        }
        if count == 0 || head.len() > LONGEST_HEAD {
            return Ok(None);
        }
    }
}

fn respond(head: Option<&[u8]>, answer: &(impl Fn(&str) -> Response + ?Sized)) -> Response {
    let line = head.and_then(|head| head.split(|&byte| byte == b'\r').next());
    let line = line.and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
    let mut words = line.split(' ');
    match (words.next(), words.next(), words.next(), words.next()) {
        (Some("GET"), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) => {
            answer(target.split('?').next().unwrap_or_default())
        }
        (Some(_), Some(_), Some("HTTP/1.1" | "HTTP/1.0"), None) => {
            plain("405 Method Not Allowed", "GET, and nothing else\n")
        }
        _ => plain("400 Bad Request", "this is no request\n"),
    }
}

/// A short answer in words.
pub fn plain(status: &'static str, text: &str) -> Response {
    (status, "text/plain; charset=utf-8", text.to_owned())
}
