//! What does each attempt of a request pass through?
//!
//! In: requests of the client library, which repeats those that fail. Out: the answers of the store.
//!
//! - A store that answers 429 or 503 asks for fewer requests. Where it says in how many seconds it may be asked again, the
//!   next attempt begins then.
//! - A request that reads is hedged: where its answer is late, and no other request has to wait for that, it is sent a second
//!   time, and the first answer counts that has what was asked for.
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
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};

use super::failure::without_any_secret;
use super::requests::Requests;
use super::sent::{attempt, begin, pause};
use super::signer::{Signed, Signer};
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
    /// When a request that reads is sent a second time; `None` is never.
    hedge: Option<Hedge>,
    /// What signs requests, where the client library does not.
    signer: Option<Arc<Signer>>,
}

/// When an answer that has not begun is late.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hedge {
    /// After so long.
    After(Duration),
    /// After so long, or much later than the last answers.
    AtLeast(Duration),
}

impl Connector {
    /// For requests of a client.
    pub(super) fn new(requests: Requests, options: &Arc<StoreOptions>, hedge: Option<Hedge>) -> Self {
        Self { requests, options: Arc::clone(options), hedge, signer: None }
    }

    /// The same, for requests that a server signs.
    pub(super) fn with_signer(self, signer: Signer) -> Self {
        Self { signer: Some(Arc::new(signer)), ..self }
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
        let Some(_sending) = begin().await else {
            return Err(HttpError::new(HttpErrorKind::Unknown, NotWanted));
        };
        let requests = &self.with.requests;
        let sent = Instant::now();
        let answer = self.answer(request).await;
        if let Ok(answer) = &answer {
            if asks_for_fewer(answer) {
                requests.are_too_many(sent);
                pause_of(answer).into_iter().for_each(pause);
            } else {
                requests.are_welcome();
            }
        }
        answer
    }

    /// The answer, or where it is late and the request only reads, the first good one of two.
    async fn answer(&self, request: HttpRequest) -> Answer {
        let requests = &self.with.requests;
        let late = match self.with.hedge {
            Some(Hedge::After(late)) if request.method() == "GET" => late,
            Some(Hedge::AtLeast(least)) if request.method() == "GET" => requests.pace().late(least),
            _ => return self.send(request).await,
        };
        let begun = Instant::now();
        let again = request.clone();
        let mut first = pin!(self.send(request));
        let answer = match tokio::time::timeout(late, &mut first).await {
            Ok(answer) => answer,
            Err(_) => match requests.spare_turn() {
                None => first.await,
                Some(_turn) => first_good_of(first, pin!(self.send(again))).await,
            },
        };
        if answer.is_ok() {
            requests.pace().began(begun.elapsed());
        }
        answer
    }

    /// Sends a request once, after it was signed.
    async fn send(&self, request: HttpRequest) -> Answer {
        let request = match &self.with.signer {
            None => request,
            Some(signer) => match signer.sign(&self.inner, request).await? {
                Signed::Request(request) => request,
                Signed::Refused(answer) => return Ok(answer),
            },
        };
        let line = Line::of(&request, &self.with.options);
        let answer = self.inner.execute(request).await;
        if let Some(line) = line {
            line.answered(&answer);
        }
        answer
    }
}

/// The first answer that has what was asked for. Where none has it, that to the first request.
async fn first_good_of(
    first: impl Future<Output = Answer> + Unpin,
    second: impl Future<Output = Answer> + Unpin,
) -> Answer {
    let is_good = |answer: &Answer| answer.as_ref().is_ok_and(|answer| answer.status().is_success());
    match select(first, second).await {
        Either::Left((answer, _)) if is_good(&answer) => answer,
        Either::Left((answer, second)) => {
            let other = second.await;
            if is_good(&other) { other } else { answer }
        }
        Either::Right((answer, _)) if is_good(&answer) => answer,
        Either::Right((_, first)) => first.await,
    }
}

/// Why a request is not sent again.
#[derive(Debug)]
struct NotWanted;

impl fmt::Display for NotWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was given up")
    }
}

impl std::error::Error for NotWanted {}

/// Does the store have too much to do?
fn asks_for_fewer(answer: &HttpResponse) -> bool {
    matches!(answer.status().as_u16(), 429 | 503)
}

/// How long the store wants to be left alone. A date instead of seconds is not understood.
fn pause_of(answer: &HttpResponse) -> Option<Duration> {
    let seconds = answer.headers().get("retry-after")?.to_str().ok()?.trim().parse::<u64>().ok()?;
    Some(Duration::from_secs(seconds.min(LONGEST_PAUSE)))
}

/// A line of the log, which is written when the answer begins, or nobody waits for it any more.
struct Line {
    /// The verb, the object and the range.
    asked: String,
    attempt: u32,
    sent: Instant,
    options: Arc<StoreOptions>,
    is_written: bool,
}

impl Line {
    /// `None` where nobody wants it.
    fn of(request: &HttpRequest, options: &Arc<StoreOptions>) -> Option<Self> {
        if !log::log_enabled!(target: LOG, log::Level::Debug) {
            return None;
        }
        let uri = request.uri();
        let range = request.headers().get("range").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let verb = request.method().as_str();
        let attempt = attempt((verb, uri.path(), uri.query(), range));
        let space = if range.is_empty() { "" } else { " " };
        let asked = format!("{verb} {}{}{space}{range}", uri.host().unwrap_or_default(), uri.path());
        let options = Arc::clone(options);
        Some(Self { asked, attempt, sent: Instant::now(), options, is_written: false })
    }

    fn answered(mut self, answer: &Answer) {
        let outcome = match answer {
            Ok(answer) => {
                let length = answer.headers().get("content-length").and_then(|length| length.to_str().ok());
                let length =
                    length.map_or_else(|| "without a length".to_owned(), |length| format!("{length} bytes"));
                format!("{} {length}", answer.status().as_u16())
            }
            Err(error) => format!("{:?}", error.kind()),
        };
        self.write(&outcome);
    }

    fn write(&mut self, outcome: &str) {
        self.is_written = true;
        let (asked, millis, attempt) = (&self.asked, self.sent.elapsed().as_millis(), self.attempt);
        let line = format!("{asked}: {outcome}, {millis} ms, attempt {attempt}");
        log::debug!(target: LOG, "{}", without_any_secret(&line, &self.options));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if !self.is_written {
            self.write("not waited for");
        }
    }
}
