//! What does each attempt of a request pass through?
//!
//! In: requests of the client library, which repeats those that fail. Out: the answers of the store.
//!
//! - A store that answers 429 or 503 asks for fewer requests. Where it says in how many seconds it may be asked again, the
//!   attempt lasts that long.
//! - A request that reads is hedged: where its answer is late, and no other request has to wait for that, it is sent a second
//!   time, and the first answer counts.
//! - Each attempt is logged as `floeberg.io`, where logging asks for it, without queries, users and secrets.
//!
//! Invariant: what changes something is sent once an attempt.

use std::fmt;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};

use super::failure::without_secrets;
use super::requests::Requests;
use super::sent::attempt;
use crate::options::StoreOptions;

/// The name of the log.
const LOG: &str = "floeberg.io";

/// The longest time, in seconds, that a store can ask to be left alone for.
const LONGEST_PAUSE: u64 = 30;

/// Makes HTTP clients that pass each attempt through this module.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    requests: Requests,
    options: Arc<StoreOptions>,
    /// When an answer that has not begun is late, at the earliest; `None` is never.
    late: Option<Duration>,
}

impl Connector {
    /// For requests of a client. `late` is when an answer is late at the earliest; zero is never.
    pub(super) fn new(requests: Requests, options: &Arc<StoreOptions>, late: Duration) -> Self {
        Self { requests, options: Arc::clone(options), late: Some(late).filter(|late| !late.is_zero()) }
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Attempts { inner, with: self.clone() }))
    }
}

#[derive(Debug)]
struct Attempts {
    inner: HttpClient,
    with: Connector,
}

type Answer = Result<HttpResponse, HttpError>;

impl HttpService for Attempts {
    fn call<'a, 'b>(&'a self, request: HttpRequest) -> Pin<Box<dyn Future<Output = Answer> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(self.attempt(request))
    }
}

impl Attempts {
    async fn attempt(&self, request: HttpRequest) -> Answer {
        let shown = log::log_enabled!(target: LOG, log::Level::Debug).then(|| Shown::new(&request));
        let requests = &self.with.requests;
        let sent = Instant::now();
        let answer = self.answer(request).await;
        if let Some(shown) = shown {
            shown.log(&answer, sent.elapsed(), &self.with.options);
        }
        let Ok(answer) = answer else { return answer };
        if !asks_for_fewer(&answer) {
            requests.are_welcome();
            return Ok(answer);
        }
        requests.are_too_many(sent);
        if let Some(pause) = pause(&answer) {
            tokio::time::sleep(pause).await;
        }
        Ok(answer)
    }

    /// The answer, or where it is late and the request only reads, the first of two.
    async fn answer(&self, request: HttpRequest) -> Answer {
        let requests = &self.with.requests;
        let late = self.with.late.filter(|_| request.method() == "GET");
        let Some(late) = late else { return self.inner.execute(request).await };
        let begun = Instant::now();
        let again = request.clone();
        let mut first = pin!(self.inner.execute(request));
        let answer = match tokio::time::timeout(requests.pace().late(late), &mut first).await {
            Ok(answer) => answer,
            Err(_) => match requests.spare_turn() {
                None => first.await,
                Some(_turn) => {
                    log::debug!(target: LOG, "an answer is late, and is asked for a second time");
                    first_of(first, pin!(self.inner.execute(again))).await
                }
            },
        };
        if answer.is_ok() {
            requests.pace().began(begun.elapsed());
        }
        answer
    }
}

/// The first answer. Where one fails, the other is waited for.
async fn first_of(
    one: impl Future<Output = Answer> + Unpin,
    other: impl Future<Output = Answer> + Unpin,
) -> Answer {
    match select(one, other).await {
        Either::Left((Ok(answer), _)) | Either::Right((Ok(answer), _)) => Ok(answer),
        Either::Left((Err(_), other)) => other.await,
        Either::Right((Err(_), one)) => one.await,
    }
}

/// Does the store have too much to do?
fn asks_for_fewer(answer: &HttpResponse) -> bool {
    matches!(answer.status().as_u16(), 429 | 503)
}

/// How long the store wants to be left alone. A date instead of seconds is not understood.
fn pause(answer: &HttpResponse) -> Option<Duration> {
    let seconds = answer.headers().get("retry-after")?.to_str().ok()?.trim().parse::<u64>().ok()?;
    Some(Duration::from_secs(seconds.min(LONGEST_PAUSE)))
}

/// What is logged of an attempt.
struct Shown {
    verb: String,
    object: String,
    range: Option<String>,
    attempt: u32,
}

impl Shown {
    fn new(request: &HttpRequest) -> Self {
        let uri = request.uri();
        let header =
            |name| request.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let range = header("range");
        let object = format!("{}{}", uri.host().unwrap_or_default(), uri.path());
        let attempt = attempt((request.method().as_str(), uri.path(), uri.query(), &range));
        Self { verb: request.method().to_string(), object, range, attempt }
    }

    fn log(&self, answer: &Answer, time: Duration, options: &StoreOptions) {
        let outcome: &dyn fmt::Display = match answer {
            Ok(answer) => &format!(
                "{} {}",
                answer.status().as_u16(),
                answer
                    .headers()
                    .get("content-length")
                    .and_then(|length| length.to_str().ok())
                    .map_or_else(|| "without a length".to_owned(), |length| format!("{length} bytes"))
            ),
            Err(error) => &format!("{:?}", error.kind()),
        };
        let range = self.range.as_ref().map(|range| format!(" {range}")).unwrap_or_default();
        let text = format!(
            "{} {}{range}: {outcome}, {} ms, attempt {}",
            self.verb,
            self.object,
            time.as_millis(),
            self.attempt
        );
        log::debug!(target: LOG, "{}", without_secrets(&text, options));
    }
}
