//! `GET /events` for programs: lines of the file of events as they are, up to the last one, or with `follow` also those to come.
//!
//! A stream that follows also has lines without a number, `{"alive":N,"files":TAG,"seq":L,"delay_s":S,"delay_plies":P}`: the time since the
//! recorder's last sign of life in ms, or `null` if it gives none, a tag that changes when the files beside the events change, the number
//! of the last line, and the delay of the outlet. The head of each answer names the generation, and has the SHA-256 of the lines before the
//! first one that it sends: a reader compares it with that of its own lines.

use std::fs::File;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::http::header::HeaderName;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use sha2::Digest;

use super::files::{EVENTS_FILE, FileBody, OutletFiles};
use super::state::ViewerHall;
use super::view::{OutletDelay, View};
use crate::hex::hex;

/// Header with the generation of the lines.
pub const GENERATION_HEADER: &str = "damcast-generation";
/// Header with the SHA-256 of the lines before the first one, in hexadecimal digits.
pub const PREFIX_HEADER: &str = "damcast-sha256-before";
/// Content type of lines.
pub const LINES_CONTENT_TYPE: &str = "application/x-ndjson";
/// Largest number of bytes in one write to a reader.
const MAX_PIECE: u64 = 256 << 10;

/// Lines that a program asks for.
#[derive(Clone, Debug, Deserialize)]
pub struct LineRequest {
    /// Generation that the program has lines of.
    r#gen: Option<String>,
    /// Number of the first line; by default 1.
    from: Option<NonZeroU64>,
    /// Whether the answer stays open for later lines.
    follow: Option<String>,
}

/// Answers with the lines that are there; or with a reason why there are none. Lines to come are sent by the feed in the answer's extensions.
pub fn answer(files: &Arc<OutletFiles>, hall: &ViewerHall, sign: &Arc<AtomicI64>, request: &LineRequest) -> Response {
    let from = request.from.map_or(1, NonZeroU64::get);
    let mut headers = HeaderMap::new();
    let mut add = |name: &'static str, value: &str| {
        headers.extend(HeaderValue::from_str(value).ok().map(|value| (HeaderName::from_static(name), value)));
    };
    add(GENERATION_HEADER, &hall.generation);
    // Without a line the generation is unknown: the file may be missing for a moment.
    if hall.seq == 0 && (request.r#gen.is_some() || from > 1) {
        return (StatusCode::SERVICE_UNAVAILABLE, headers, "there are no events yet\n").into_response();
    }
    if request.r#gen.as_ref().is_some_and(|generation| *generation != hall.generation) {
        let text = "this is another generation now; begin anew: /events\n";
        return (StatusCode::NOT_FOUND, headers, text).into_response();
    }
    if from > hall.seq + 1 {
        let text = format!("the file has {} lines; an older copy of it may have been restored\n", hall.seq);
        return (StatusCode::CONFLICT, headers, text).into_response();
    }
    let (file, mark) = match files.events_from(hall.mark(from), from, &hall.generation) {
        Ok((file, mark)) => (Some(file), mark),
        Err(_) if hall.seq == 0 => (None, hall.mark(1)),
        Err(error) => {
            tracing::warn!(%error, file = EVENTS_FILE, "the file of events cannot be read");
            return (StatusCode::SERVICE_UNAVAILABLE, headers, "the events cannot be read; ask again\n")
                .into_response();
        }
    };
    add(PREFIX_HEADER, &hex(&mark.hash.finalize()));
    add("content-type", LINES_CONTENT_TYPE);
    if request.follow.is_some() {
        add("cache-control", "no-store, no-transform");
        add("x-accel-buffering", "no");
        let (generation, restarts, at) = (hall.generation.clone(), hall.restarts, mark.begin);
        let (file, files, sign) = (file.map(Arc::new), files.clone(), sign.clone());
        return (Extension(LineFeed { file, generation, restarts, at, files, sign }), headers).into_response();
    }
    add("cache-control", "no-cache");
    add("etag", &format!("\"{}-{from}\"", hall.id()));
    match file.map(|file| FileBody::new(file, mark.begin, hall.bytes.saturating_sub(mark.begin))) {
        Some(Ok(body)) => (headers, Body::new(body)).into_response(),
        Some(Err(_)) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        None => (headers, Body::empty()).into_response(),
    }
}

/// Line of a stream that has no number.
#[derive(Serialize, Deserialize)]
pub struct Beat {
    /// Time since the recorder's last sign of life, in ms; `None` if it gives none.
    pub alive: Option<u64>,
    /// Tag that changes when the files beside the events change.
    pub files: Option<String>,
    /// Number of the last line; 0 if the station does not say it.
    #[serde(default)]
    pub seq: u64,
    /// Delay of the outlet.
    #[serde(flatten)]
    pub delay: OutletDelay,
}

/// Lines of one generation, for a program that follows them.
#[derive(Clone)]
pub struct LineFeed {
    /// File of the events; `None` before the first one.
    file: Option<Arc<File>>,
    generation: String,
    restarts: u64,
    /// Offset of the next byte.
    at: u64,
    files: Arc<OutletFiles>,
    sign: Arc<AtomicI64>,
}

impl LineFeed {
    /// Returns the next lines up to the last one of `hall`, and whether more are there already; `None` if the file has other lines now: the
    /// stream ends.
    pub fn next(&mut self, hall: &ViewerHall) -> Option<(Bytes, bool)> {
        if hall.generation != self.generation || hall.restarts != self.restarts || hall.bytes < self.at {
            return None;
        }
        let remaining = hall.bytes - self.at;
        let size = remaining.min(MAX_PIECE);
        let mut bytes = vec![0; usize::try_from(size).unwrap_or_default()];
        // A file that was cut ends the stream: its reader asks again.
        if self.file.as_ref().is_some_and(|file| file.read_exact_at(&mut bytes, self.at).is_err()) {
            return None;
        }
        self.at += size;
        Some((bytes.into(), size < remaining))
    }

    /// Returns the line without a number at a time, in ms since 1970.
    pub fn beat(&self, view: &View, now: i64) -> Bytes {
        let files = self.files.tag(&view.hall.halls);
        let sign = Some(self.sign.load(Ordering::Relaxed)).filter(|sign| *sign != 0);
        let alive = sign.and_then(|sign| u64::try_from((now - sign).max(0)).ok());
        let beat = serde_json::to_string(&Beat { alive, files: Some(files), seq: view.hall.seq, delay: view.delay });
        (beat.unwrap_or_default() + "\n").into()
    }
}
