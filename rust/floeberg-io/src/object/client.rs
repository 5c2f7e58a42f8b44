//! How is a client of a bucket made?
//!
//! In: the kind of store, the bucket and the options. Out: a client of the `object_store` library.
//!
//! Invariant: nothing is sent: the first request shows whether a bucket exists.

use std::sync::Arc;
use std::time::Duration;

use floeberg_core::{Error, Result};
use object_store::{BackoffConfig, ObjectStore, RetryConfig};

use super::attempts::{Connector, Hedge};
use super::requests::Requests;
use super::signer::Signer;
use super::{Kind, failure};
use crate::options::StoreOptions;

/// A request without data for this long, in seconds, is cancelled and retried.
const IDLE_SECONDS: f64 = 30.0;

/// A request that reads is sent a second time where its answer has not begun by then, unless all take long.
const HEDGE: Duration = Duration::from_secs(1);

/// The longest time of one request, in seconds, even if data keeps coming.
const REQUEST_SECONDS: f64 = 300.0;

/// The longest time to connect, in seconds.
const CONNECT_SECONDS: f64 = 5.0;

/// No time is longer, in seconds: a hundred years are not a time that clocks can add.
const LONGEST_SECONDS: f64 = 86_400.0;

/// How often a request is retried. With the pauses in between this takes seconds.
const RETRIES: f64 = 5.0;

/// The client of a bucket, container or server.
///
/// Errors: `InvalidInput` for options that the store refuses.
pub(super) fn connect(
    kind: Kind,
    bucket: &str,
    options: &Arc<StoreOptions>,
    requests: &Requests,
) -> Result<Arc<dyn ObjectStore>> {
    let hedge = match options.number("io.hedge-after")? {
        None => Some(Hedge::AtLeast(HEDGE)),
        Some(0.0) => None,
        Some(seconds) => Some(Hedge::After(Duration::from_secs_f64(seconds.min(LONGEST_SECONDS)))),
    };
    let connector = Connector::new(requests.clone(), options, hedge);
    match kind {
        Kind::S3 => s3(bucket, options, connector),
        Kind::Gcs => gcs(bucket, options, connector),
        Kind::Azure => azure(bucket, options, connector),
        Kind::Http => http(bucket, options, connector),
    }
}

/// Timeouts and retries, from `io.*`, and from `s3.*` for names that users know.
fn times(options: &StoreOptions) -> Result<Vec<(&'static str, String)>> {
    let seconds = |names: [&str; 2], default: f64| -> Result<String> {
        let given = options.number(names[0])?.or(options.number(names[1])?);
        if given == Some(0.0) {
            let message = format!("expected a number above 0 for the option `{}`", names[0]);
            return Err(Error::invalid_input(message));
        }
        Ok(format!("{}ms", (given.unwrap_or(default).min(LONGEST_SECONDS) * 1000.0).max(1.0) as u64))
    };
    Ok(vec![
        ("connect_timeout", seconds(["io.connect-timeout", "s3.connect-timeout"], CONNECT_SECONDS)?),
        ("timeout", seconds(["io.request-timeout", "s3.request-timeout"], REQUEST_SECONDS)?),
        ("read_timeout", seconds(["io.read-timeout"; 2], IDLE_SECONDS)?),
    ])
}

fn retry(options: &StoreOptions) -> Result<RetryConfig> {
    let max_retries = options.number("io.retries")?.unwrap_or(RETRIES) as usize;
    Ok(RetryConfig {
        max_retries,
        retry_timeout: Duration::from_secs(180),
        backoff: BackoffConfig::default(),
    })
}

/// Passes every setting to a builder. An unknown setting of the environment is not for this library.
macro_rules! configured {
    ($builder:expr, $names:expr, $options:expr, $connector:expr) => {{
        let mut builder = $builder.with_retry(retry($options)?).with_http_connector($connector);
        for (name, value) in times($options)? {
            if let Ok(key) = name.parse() {
                builder = builder.with_config(key, value);
            }
        }
        let environment = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)));
        for (name, value) in super::settings::settings(&$names, $options, environment)? {
            if let Ok(key) = name.parse() {
                builder = builder.with_config(key, value);
            }
        }
        builder
    }};
}

fn refused(error: &object_store::Error, options: &StoreOptions) -> Error {
    let message = format!("the client of the store cannot be configured: {error}");
    Error::invalid_input(failure::without_secrets(&message, options))
}

fn s3(bucket: &str, options: &StoreOptions, connector: Connector) -> Result<Arc<dyn ObjectStore>> {
    use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
    let mut builder = configured!(AmazonS3Builder::new(), super::settings::S3, options, connector.clone());
    if options.flag("s3.anonymous")? {
        builder = builder.with_skip_signature(true);
    }
    for key in ["fs.s3a.path.style.access", "s3.path-style-access"] {
        if options.get(key).is_some() {
            builder = builder.with_virtual_hosted_style_request(!options.flag(key)?);
        }
    }
    if options.get("s3.force-virtual-addressing").is_some() {
        builder = builder.with_virtual_hosted_style_request(options.flag("s3.force-virtual-addressing")?);
    }
    let endpoints = [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint];
    let is_plain =
        |key: &AmazonS3ConfigKey| builder.get_config_value(key).is_some_and(|url| url.starts_with("http://"));
    if endpoints.iter().any(is_plain) {
        builder = builder.with_allow_http(true);
    }
    let region = builder.get_config_value(&AmazonS3ConfigKey::Region);
    if let Some(signer) = Signer::of(options, region.as_deref())? {
        // Signers know the requests of single objects.
        builder = builder.with_skip_signature(true).with_disable_bulk_delete(true);
        if signer.is_plain_http() {
            builder = builder.with_allow_http(true);
        }
        builder = builder.with_http_connector(connector.with_signer(signer));
    }
    let client = builder.with_bucket_name(bucket).build().map_err(|error| refused(&error, options))?;
    Ok(Arc::new(client))
}

fn gcs(bucket: &str, options: &StoreOptions, connector: Connector) -> Result<Arc<dyn ObjectStore>> {
    use object_store::ClientConfigKey;
    use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
    let mut builder = configured!(GoogleCloudStorageBuilder::new(), super::settings::GCS, options, connector);
    if options.flag("gcs.anonymous")? || options.flag("gcs.no-auth")? {
        builder = builder.with_config(GoogleConfigKey::SkipSignature, "true");
    }
    if builder.get_config_value(&GoogleConfigKey::BaseUrl).is_some_and(|url| url.starts_with("http://")) {
        builder = builder.with_config(GoogleConfigKey::Client(ClientConfigKey::AllowHttp), "true");
    }
    let client = builder.with_bucket_name(bucket).build().map_err(|error| refused(&error, options))?;
    Ok(Arc::new(client))
}

fn azure(container: &str, options: &StoreOptions, connector: Connector) -> Result<Arc<dyn ObjectStore>> {
    use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
    let mut builder = configured!(MicrosoftAzureBuilder::new(), super::settings::AZURE, options, connector);
    if options.flag("adls.anonymous")? {
        builder = builder.with_config(AzureConfigKey::SkipSignature, "true");
    }
    if builder.get_config_value(&AzureConfigKey::Endpoint).is_some_and(|url| url.starts_with("http://")) {
        builder = builder.with_allow_http(true);
    }
    if let Some(token) = super::settings::account_token(container, options) {
        builder = builder.with_config(AzureConfigKey::SasKey, token);
    }
    // `container@account.dfs.core.windows.net` names its account, a bare container leaves it to the options.
    let builder = if container.contains('@') {
        builder.with_url(format!("abfss://{container}/"))
    } else {
        builder.with_container_name(container)
    };
    Ok(Arc::new(builder.build().map_err(|error| refused(&error, options))?))
}

fn http(server: &str, options: &StoreOptions, connector: Connector) -> Result<Arc<dyn ObjectStore>> {
    use object_store::ClientConfigKey;
    use object_store::http::HttpBuilder;
    let mut builder =
        HttpBuilder::new().with_url(server).with_retry(retry(options)?).with_http_connector(connector);
    for (name, value) in times(options)? {
        if let Ok(key) = name.parse::<ClientConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    if server.starts_with("http://") {
        builder = builder.with_config(ClientConfigKey::AllowHttp, "true");
    }
    Ok(Arc::new(builder.build().map_err(|error| refused(&error, options))?))
}
