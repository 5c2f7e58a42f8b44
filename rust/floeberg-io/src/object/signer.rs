//! How are requests to S3 signed by the server of a catalog?
//!
//! In: a request without a signature, and options that name the signer. Out: the request with the address and the headers that the
//! signer returned, or its refusal.
//! Spec: REST catalog specification, `RemoteSignRequest`, `RemoteSignResult`.
//!
//! Options: `s3.remote-signing-enabled`, `s3.signer.uri` (the address of the signing endpoint), `s3.signer.token` (a bearer token),
//! `s3.signer.headers` (JSON: lists of values by name), `s3.signer.properties` (JSON: texts by name).
//!
//! Invariant: what is sent is what was signed. Headers of the request that the signer was not shown stay as they are.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use floeberg_core::{Error, Result};
use http::{HeaderName, Method};
use object_store::client::{
    HttpClient, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
};
use serde_json::{Value as Json, json};

use super::settings::REMOTE_SIGNING;
use crate::options::StoreOptions;

/// Headers that are not signed: they differ between requests of the same object, or are the client's own.
const UNSIGNED: [&str; 5] = ["range", "user-agent", "content-length", "host", "authorization"];

/// How long a signature that may be kept is used.
const KEPT: Duration = Duration::from_secs(30);

/// How many signatures are kept.
const MOST_KEPT: usize = 1_000;

/// Headers by name.
type Headers = BTreeMap<String, Vec<String>>;

/// Has requests signed.
#[derive(Debug)]
pub(super) struct Signer {
    uri: String,
    region: String,
    token: Option<String>,
    headers: Headers,
    properties: BTreeMap<String, String>,
    kept: Mutex<HashMap<String, (Instant, Arc<Signature>)>>,
}

/// What a signer returned.
#[derive(Debug)]
struct Signature {
    uri: String,
    headers: Headers,
}

/// A request that may be sent, or the answer of a signer that refused to sign it.
pub(super) enum Signed {
    Request(HttpRequest),
    Refused(HttpResponse),
}

impl Signer {
    /// The signer of options; `None` where requests are signed here.
    ///
    /// Errors: `InvalidInput` for options that are not as described.
    pub fn of(options: &StoreOptions, region: Option<&str>) -> Result<Option<Self>> {
        if !options.flag(REMOTE_SIGNING)? {
            return Ok(None);
        }
        let uri = options.get("s3.signer.uri").unwrap_or_default();
        if !uri.starts_with("http://") && !uri.starts_with("https://") {
            return Err(Error::invalid_input(
                "requests are to be signed by a server: expected its address, https://..., as the option `s3.signer.uri`",
            ));
        }
        Ok(Some(Self {
            uri: uri.to_owned(),
            region: region.unwrap_or("us-east-1").to_owned(),
            token: options.get("s3.signer.token").map(str::to_owned),
            headers: object(options, "s3.signer.headers")?,
            properties: object(options, "s3.signer.properties")?,
            kept: Mutex::default(),
        }))
    }

    /// May the signer be asked without TLS?
    pub fn is_plain_http(&self) -> bool {
        self.uri.starts_with("http://")
    }

    /// Has a request signed.
    pub async fn sign(&self, client: &HttpClient, request: HttpRequest) -> Result<Signed, HttpError> {
        let body = self.body(&request);
        let key = body.to_string();
        let known = self.known(&key);
        let signature = match known {
            Some(known) => known,
            None => match self.ask(client, &key).await? {
                Ok((signature, may_be_kept)) => {
                    let signature = Arc::new(signature);
                    if may_be_kept {
                        self.keep(key, Arc::clone(&signature));
                    }
                    signature
                }
                Err(refusal) => return Ok(Signed::Refused(refusal)),
            },
        };
        signed(request, &signature).map(Signed::Request)
    }

    fn body(&self, request: &HttpRequest) -> Json {
        let mut headers = Headers::new();
        for (name, value) in request.headers() {
            if !UNSIGNED.contains(&name.as_str())
                && let Ok(value) = value.to_str()
            {
                headers.entry(name.as_str().to_owned()).or_default().push(value.to_owned());
            }
        }
        json!({
            "region": self.region,
            "uri": request.uri().to_string(),
            "method": request.method().as_str(),
            "headers": headers,
            "properties": self.properties,
            "provider": "s3",
        })
    }

    /// Asks the signer: the signature, and whether it may be kept; or its refusal.
    async fn ask(
        &self,
        client: &HttpClient,
        body: &str,
    ) -> Result<Result<(Signature, bool), HttpResponse>, HttpError> {
        let mut asked = HttpRequest::new(HttpRequestBody::from(body.as_bytes().to_vec()));
        *asked.method_mut() = Method::POST;
        *asked.uri_mut() = self.uri.parse().map_err(|error| wrong("the address of the signer", error))?;
        let own = [("content-type", "application/json"), ("accept", "application/json")];
        for (name, value) in own {
            insert(&mut asked, name, value)?;
        }
        for (name, values) in &self.headers {
            for value in values {
                insert(&mut asked, name, value)?;
            }
        }
        if let Some(token) = &self.token {
            insert(&mut asked, "authorization", &format!("Bearer {token}"))?;
        }
        let answer = client.execute(asked).await?;
        if !answer.status().is_success() {
            return Ok(Err(refusal(answer).await?));
        }
        let may_be_kept = answer
            .headers()
            .get("cache-control")
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.eq_ignore_ascii_case("private"));
        let bytes = answer.into_body().bytes().await?;
        let read = || -> Option<Signature> {
            let answer: Json = serde_json::from_slice(&bytes).ok()?;
            Some(Signature {
                uri: answer.get("uri")?.as_str()?.to_owned(),
                headers: serde_json::from_value(answer.get("headers")?.clone()).ok()?,
            })
        };
        match read() {
            Some(signature) => Ok(Ok((signature, may_be_kept))),
            None => Err(wrong("the answer of the signer", "expected `uri` and `headers`")),
        }
    }

    fn known(&self, key: &str) -> Option<Arc<Signature>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(key).filter(|(since, _)| since.elapsed() < KEPT).map(|(_, signature)| Arc::clone(signature))
    }

    fn keep(&self, key: String, signature: Arc<Signature>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.retain(|_, (since, _)| since.elapsed() < KEPT);
        }
        if kept.len() < MOST_KEPT {
            kept.insert(key, (Instant::now(), signature));
        }
    }
}

/// The request with what was signed.
fn signed(mut request: HttpRequest, signature: &Signature) -> Result<HttpRequest, HttpError> {
    *request.uri_mut() = signature.uri.parse().map_err(|error| wrong("the signed address", error))?;
    for (name, values) in &signature.headers {
        request.headers_mut().remove(name.as_str());
        for value in values {
            insert(&mut request, name, value)?;
        }
    }
    Ok(request)
}

fn insert(request: &mut HttpRequest, name: &str, value: &str) -> Result<(), HttpError> {
    // The value may be a secret: the error does not show it.
    let value = value.parse().map_err(|_| wrong("a header of a signature", "expected ASCII text"))?;
    let name: HeaderName = name.parse().map_err(|error| wrong("a header of a signature", error))?;
    request.headers_mut().append(name, value);
    Ok(())
}

/// The refusal of a signer, with text that says who refused.
async fn refusal(answer: HttpResponse) -> Result<HttpResponse, HttpError> {
    let (parts, body) = answer.into_parts();
    let bytes = body.bytes().await?;
    let said = String::from_utf8_lossy(&bytes[..bytes.len().min(500)]).into_owned();
    let text = format!("the server that signs requests refused: {said}");
    Ok(HttpResponse::from_parts(parts, HttpResponseBody::from(text.into_bytes())))
}

fn wrong(what: &str, why: impl std::fmt::Display) -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, Error::invalid_data(format!("{what} cannot be used: {why}")))
}

/// An option that is a JSON object; empty where it is not given.
fn object<T: serde::de::DeserializeOwned + Default>(options: &StoreOptions, name: &str) -> Result<T> {
    let Some(text) = options.get(name) else { return Ok(T::default()) };
    serde_json::from_str(text).map_err(|error| {
        Error::invalid_input(format!("expected a JSON object as the option `{name}`")).caused_by(error)
    })
}
