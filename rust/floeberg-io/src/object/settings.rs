//! Which settings of the client library do options of users mean?
//!
//! In: options, and the environment. Out: the library's own settings, by name; later ones win.
//!
//! Invariant: credentials come from one place: options with credentials hide those of the environment.

use floeberg_core::{Error, Result};

use crate::options::StoreOptions;

/// The names of one kind of store.
pub(super) struct Names {
    /// How names of the library start, in options (any case) and in the environment (upper case).
    pub prefixes: &'static [&'static str],
    /// Options, and their names in the library.
    pub options: &'static [(&'static str, &'static str)],
    /// The names of settings without credentials in the library, without prefix.
    pub places: &'static [&'static str],
}

pub(super) const S3: Names = Names {
    prefixes: &["aws_"],
    options: &[
        ("client.access-key-id", "aws_access_key_id"),
        ("client.region", "aws_region"),
        ("client.secret-access-key", "aws_secret_access_key"),
        ("client.session-token", "aws_session_token"),
        ("fs.s3a.access.key", "aws_access_key_id"),
        ("fs.s3a.assumed.role.arn", "aws_role_arn"),
        ("fs.s3a.endpoint", "aws_endpoint"),
        ("fs.s3a.endpoint.region", "aws_region"),
        ("fs.s3a.secret.key", "aws_secret_access_key"),
        ("fs.s3a.session.token", "aws_session_token"),
        ("s3.access-key-id", "aws_access_key_id"),
        ("s3.endpoint", "aws_endpoint"),
        ("s3.proxy-uri", "proxy_url"),
        ("s3.region", "aws_region"),
        ("s3.role-arn", "aws_role_arn"),
        ("s3.role-session-name", "aws_role_session_name"),
        ("s3.secret-access-key", "aws_secret_access_key"),
        ("s3.session-token", "aws_session_token"),
    ],
    places: &[
        "region",
        "default_region",
        "endpoint",
        "endpoint_url",
        "endpoint_url_s3",
        "endpoint_url_sts",
        "allow_http",
        "virtual_hosted_style_request",
        "request_payer",
        "proxy_url",
    ],
};

pub(super) const GCS: Names = Names {
    prefixes: &["google_"],
    options: &[
        ("gcs.endpoint", "google_base_url"),
        ("gcs.oauth2.token", "google_bearer_token"),
        ("gcs.service-account-key", "google_service_account_key"),
        ("gcs.service-account-path", "google_service_account_path"),
        ("gcs.service.host", "google_base_url"),
    ],
    places: &["base_url", "proxy_url"],
};

pub(super) const AZURE: Names = Names {
    prefixes: &["azure_storage_", "azure_"],
    options: &[
        ("adls.account-key", "azure_storage_account_key"),
        ("adls.account-name", "azure_storage_account_name"),
        ("adls.client-id", "azure_client_id"),
        ("adls.client-secret", "azure_client_secret"),
        ("adls.endpoint", "azure_storage_endpoint"),
        ("adls.sas-token", "azure_storage_sas_token"),
        ("adls.tenant-id", "azure_tenant_id"),
        ("adls.token", "azure_storage_token"),
    ],
    places: &["account_name", "endpoint", "authority_host", "allow_http", "proxy_url"],
};

/// Options of other readers that would change the result, or what is safe, if they were ignored.
const NOT_SERVED: [&str; 12] = [
    "adls.connection-string",
    "client.factory",
    "fs.s3a.aws.credentials.provider",
    "fs.s3a.encryption.algorithm",
    "fs.s3a.server-side-encryption-algorithm",
    "s3.access-points",
    "s3.acl",
    "s3.client-factory-impl",
    "s3.signer",
    "s3.sse.key",
    "s3.sse.md5",
    "s3.sse.type",
];

/// Values of these that ask for nothing.
const ASKS_FOR_NOTHING: [&str; 2] = ["", "none"];

const HADOOP_ENDPOINT: &str = "fs.s3a.endpoint";
const HADOOP_TLS: &str = "fs.s3a.connection.ssl.enabled";

/// Does a server sign requests?
pub(super) const REMOTE_SIGNING: &str = "s3.remote-signing-enabled";

/// The token of an account of Azure, which servers vend by its host, or its name: `adls.sas-token.<account>.dfs.core.windows.net`.
pub(super) fn account_token<'a>(container: &str, options: &'a StoreOptions) -> Option<&'a str> {
    let (_, host) = container.split_once('@')?;
    let account = host.split('.').next().unwrap_or(host);
    [host, account].into_iter().find_map(|place| options.get(&format!("adls.sas-token.{place}")))
}

/// Settings by the library's name, weakest first: the environment, then options, then flags.
///
/// Errors: `Unsupported` for an option of [`NOT_SERVED`] that asks for something, `InvalidInput` for a flag that is not true or false.
pub(super) fn settings(
    names: &Names,
    options: &StoreOptions,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<Vec<(String, String)>> {
    let mut chosen = Vec::new();
    for (key, value) in options.iter() {
        if NOT_SERVED.contains(&key) && !ASKS_FOR_NOTHING.contains(&value) {
            return Err(Error::unsupported(format!("the option `{key}` is not supported")));
        }
        let known =
            names.options.iter().find(|(option, _)| *option == key).map(|(_, name)| (*name).to_owned());
        if let Some(name) = known.or_else(|| names.own_name(key)) {
            let value = if key == HADOOP_ENDPOINT { with_scheme(value, options)? } else { value.to_owned() };
            chosen.push((name, value));
        }
    }
    let has_credentials = chosen.iter().any(|(name, _)| !names.is_place(name));
    let inherited = environment.filter_map(|(key, value)| Some((names.own_name(&key)?, value)));
    let mut settings: Vec<_> =
        inherited.filter(|(name, _)| !has_credentials || names.is_place(name)).collect();
    settings.append(&mut chosen);
    Ok(settings)
}

/// The endpoint of Hadoop's connector, which may lack the scheme that another of its options chooses.
fn with_scheme(endpoint: &str, options: &StoreOptions) -> Result<String> {
    if endpoint.contains("://") {
        return Ok(endpoint.to_owned());
    }
    let is_plain = options.get(HADOOP_TLS).is_some() && !options.flag(HADOOP_TLS)?;
    Ok(format!("{}://{endpoint}", if is_plain { "http" } else { "https" }))
}

impl Names {
    /// The library's own name of a key, if it has one.
    fn own_name(&self, key: &str) -> Option<String> {
        let name = key.to_ascii_lowercase();
        self.prefixes.iter().any(|prefix| name.starts_with(prefix)).then_some(name)
    }

    fn is_place(&self, name: &str) -> bool {
        let bare = self.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        self.places.contains(&bare)
    }
}
