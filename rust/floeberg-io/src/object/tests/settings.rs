use floeberg_core::ErrorKind;

use crate::object::settings::{AZURE, GCS, Names, S3, settings};
use crate::options::StoreOptions;

fn chosen(names: &Names, options: &[(&str, &str)], environment: &[(&str, &str)]) -> Vec<(String, String)> {
    let options: StoreOptions = options.iter().copied().collect();
    let environment = environment.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    settings(names, &options, environment).unwrap()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn names_that_users_know_become_those_of_the_library() {
    let options =
        [("s3.region", "r"), ("AWS_ENDPOINT_URL", "e"), ("warehouse", "w"), ("gcs.oauth2.token", "t")];
    assert_eq!(chosen(&S3, &options, &[]), pairs(&[("aws_endpoint_url", "e"), ("aws_region", "r")]));
    assert_eq!(chosen(&GCS, &options, &[]), pairs(&[("google_bearer_token", "t")]));
    let azure = [("adls.sas-token", "s"), ("azure_tenant_id", "t")];
    assert_eq!(
        chosen(&AZURE, &azure, &[]),
        pairs(&[("azure_storage_sas_token", "s"), ("azure_tenant_id", "t")])
    );
}

#[test]
fn credentials_of_options_hide_those_of_the_environment() {
    let environment = [("AWS_SESSION_TOKEN", "old"), ("AWS_REGION", "r"), ("PATH", "p")];
    let inherited = pairs(&[("aws_session_token", "old"), ("aws_region", "r")]);
    assert_eq!(chosen(&S3, &[], &environment), inherited);
    let with_region = chosen(&S3, &[("s3.region", "r2")], &environment);
    assert_eq!(with_region, [inherited.as_slice(), &pairs(&[("aws_region", "r2")])].concat());
    let with_key = chosen(&S3, &[("s3.access-key-id", "k")], &environment);
    assert_eq!(with_key, pairs(&[("aws_region", "r"), ("aws_access_key_id", "k")]));
}

#[test]
fn an_option_that_would_change_the_meaning_is_not_passed_over() {
    let options = StoreOptions::from_iter([("adls.connection-string", "AccountKey=hunter2")]);
    let error = settings(&AZURE, &options, std::iter::empty()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("adls.connection-string") && !error.to_string().contains("hunter2"));
}

#[test]
fn names_of_hadoop_are_known_and_weaker_than_those_of_iceberg() {
    let hadoop = [
        ("fs.s3a.access.key", "k"),
        ("fs.s3a.secret.key", "s"),
        ("fs.s3a.endpoint", "localhost:9000"),
        ("fs.s3a.connection.ssl.enabled", "false"),
    ];
    let expected = [
        ("aws_access_key_id", "k"),
        ("aws_endpoint", "http://localhost:9000"),
        ("aws_secret_access_key", "s"),
    ];
    assert_eq!(chosen(&S3, &hadoop, &[("AWS_ACCESS_KEY_ID", "other")]), pairs(&expected));
    let both = [("fs.s3a.endpoint", "s3.example"), ("s3.endpoint", "https://other")];
    let expected = [("aws_endpoint", "https://s3.example"), ("aws_endpoint", "https://other")];
    assert_eq!(chosen(&S3, &both, &[]), pairs(&expected));
}

#[test]
fn an_option_for_encryption_is_not_passed_over() {
    for key in ["s3.sse.type", "fs.s3a.encryption.algorithm", "s3.acl"] {
        let options = StoreOptions::from_iter([(key, "kms")]);
        let error = settings(&S3, &options, std::iter::empty()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{key}");
        let options = StoreOptions::from_iter([(key, "none")]);
        assert!(settings(&S3, &options, std::iter::empty()).unwrap().is_empty(), "{key}");
    }
}

#[test]
fn every_name_is_one_that_the_library_knows() {
    use object_store::aws::AmazonS3ConfigKey;
    use object_store::azure::AzureConfigKey;
    use object_store::gcp::GoogleConfigKey;
    for (_, name) in S3.options {
        name.parse::<AmazonS3ConfigKey>().unwrap();
    }
    for (_, name) in GCS.options {
        name.parse::<GoogleConfigKey>().unwrap();
    }
    for (_, name) in AZURE.options {
        name.parse::<AzureConfigKey>().unwrap();
    }
}
