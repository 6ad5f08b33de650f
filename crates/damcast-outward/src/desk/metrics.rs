//! `/metrics` in the text format of Prometheus, and `/healthz`: without a login, for monitoring. Both return 503 if the station does not
//! answer; `/healthz` also if an alarm is raised or a delivery fails.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use damcast_control::{ClientRequest, Reply};

use super::station_client::{CachedReply, StationClient};
use crate::deliver::report::{DeliveriesState, read_reports};
use crate::state_file::StateFiles;
use crate::web::hosts::AllowedHosts;
use crate::web::origin::single_value;

struct MetricsState {
    station: Arc<StationClient>,
    /// Shared by all who ask, so that they take one place at the station.
    metrics: CachedReply,
    hosts: AllowedHosts,
    state_files: StateFiles,
}

/// Returns the routes.
pub fn router(station: Arc<StationClient>, hosts: AllowedHosts, state_files: StateFiles) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .fallback(|| async { (StatusCode::NOT_FOUND, "there are /metrics and /healthz\n") })
        .with_state(Arc::new(MetricsState { station, metrics: CachedReply::default(), hosts, state_files }))
}

async fn ask(counter: &MetricsState, headers: &HeaderMap) -> Result<Arc<Reply>, Box<Response>> {
    if !single_value(headers, &header::HOST).is_some_and(|host| counter.hosts.allows(host)) {
        let refused = (StatusCode::MISDIRECTED_REQUEST, "this is not reached under this name\n");
        return Err(Box::new(refused.into_response()));
    }
    if let Some(error) = &counter.station.state().borrow().error {
        return Err(Box::new((StatusCode::SERVICE_UNAVAILABLE, format!("not well: {error}\n")).into_response()));
    }
    let reply = counter.metrics.answer(&counter.station, ClientRequest::Metrics {}).await;
    match &reply.error {
        Some(error) => {
            let ill = (StatusCode::SERVICE_UNAVAILABLE, format!("not well: {error}\n"));
            Err(Box::new(ill.into_response()))
        }
        None => Ok(reply),
    }
}

async fn metrics(State(counter): State<Arc<MetricsState>>, headers: HeaderMap) -> Response {
    let kind =
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    match ask(&counter, &headers).await {
        Ok(reply) => (kind, reply.metrics.clone().unwrap_or_default()).into_response(),
        Err(answer) => *answer,
    }
}

async fn health(State(counter): State<Arc<MetricsState>>, headers: HeaderMap) -> Response {
    let reply = match ask(&counter, &headers).await {
        Ok(reply) => reply,
        Err(answer) => return *answer,
    };
    let beside = counter.state_files.alarms().into_iter().map(|alarm| alarm.kind);
    let deliveries = counter.state_files.deliveries.as_deref().and_then(read_reports);
    let of_deliveries = deliveries.iter().flat_map(DeliveriesState::failing);
    let problems: Vec<String> = reply.messages.iter().cloned().chain(beside).chain(of_deliveries).collect();
    match problems.is_empty() {
        true => "ok\n".into_response(),
        false => (StatusCode::SERVICE_UNAVAILABLE, format!("not well: {}\n", problems.join(", "))).into_response(),
    }
}
