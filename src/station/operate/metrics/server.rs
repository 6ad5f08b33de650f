//! The smallest server that those who ask for numbers need: `GET` or `HEAD` of a path, an answer, the end of the connection.
//!
//! Who connects and says nothing, or one byte a second, costs a place for `HEAD_TIME` and no more; when all places are taken
//! whoever has had one for longest loses it, so the slow ones keep nobody waiting. No bodies, no keep-alive, no chunks, so none of their errors; a library would bring 40
//! crates and, as they come, no time-out for the head of a request.
//!
//! Source: RFC 9112, sections 2 to 6, 9.6.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tracing::warn;

/// The head of a request must have come within this.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// The answer must have gone within this.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// No head of a request is longer.
const LONGEST_HEAD: usize = 8 << 10;
/// Connections at a time.
const MOST_CONNECTIONS: usize = 32;
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
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        // The oldest first.
        let mut places: VecDeque<JoinHandle<()>> = VecDeque::new();
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    places.retain(|place| !place.is_finished());
                    if places.len() >= MOST_CONNECTIONS
                        && let Some(oldest) = places.pop_front()
                    {
                        oldest.abort();
                    }
                    let answer = Arc::clone(&answer);
                    places.push_back(tokio::spawn(async move {
                        // Who went away does not get an answer, and needs none.
                        let _ = converse(stream, &*answer).await;
                    }));
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
    let (response, wants_text) = match timeout(HEAD_TIME, head(&mut stream)).await {
        Ok(head) => {
            let head = head?;
            let wants_text = head.as_ref().is_none_or(|head| !head.starts_with(b"HEAD "));
            (respond(head.as_deref(), answer), wants_text)
        }
        Err(_) => (plain("408 Request Timeout", "the request did not come\n"), true),
    };
    let (status, kind, text) = response;
    let mut message = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Connection: close\r\n\r\n",
        text.len()
    );
    if wants_text {
        message += &text;
    }
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
        (Some("GET" | "HEAD"), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) => {
            answer(target.split('?').next().unwrap_or_default())
        }
        (Some(_), Some(_), Some("HTTP/1.1" | "HTTP/1.0"), None) => {
            plain("405 Method Not Allowed", "GET and HEAD, and nothing else\n")
        }
        _ => plain("400 Bad Request", "this is no request\n"),
    }
}

/// A short answer in words.
pub fn plain(status: &'static str, text: &str) -> Response {
    (status, "text/plain; charset=utf-8", text.to_owned())
}
