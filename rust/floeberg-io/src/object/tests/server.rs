//! A server of one file, to see what a real client sends.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use floeberg_core::ErrorKind;

use crate::object::{Kind, ObjectStore};
use crate::options::StoreOptions;
use crate::store::Store;

const CONTENT: &str = "0123456789";

/// Serves `CONTENT` and keeps the first line of each request. Paths with `private` are forbidden.
fn serve() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = log.clone();
            std::thread::spawn(move || answer_all(stream, &log));
        }
    });
    (address, seen)
}

fn answer_all(mut stream: TcpStream, log: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    while let Some(Ok(request)) = lines.next() {
        let mut range = None;
        for header in lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()) {
            let header = header.to_ascii_lowercase();
            if let Some(bounds) = header.strip_prefix("range: bytes=") {
                let (start, end) = bounds.split_once('-').unwrap();
                range = Some((start.parse::<usize>().unwrap(), end.parse::<usize>().unwrap() + 1));
            }
        }
        let body = match range {
            None => CONTENT,
            Some((start, end)) => CONTENT.get(start..end.min(CONTENT.len())).unwrap_or(""),
        };
        let status = match range {
            _ if request.contains("private") => "403 Forbidden".to_owned(),
            None => "200 OK".to_owned(),
            Some((start, _)) if start >= CONTENT.len() => "416 Range Not Satisfiable".to_owned(),
            Some((start, _)) => {
                format!("206 Partial Content\r\nContent-Range: bytes {start}-{}/10", start + body.len() - 1)
            }
        };
        let shown = if request.starts_with("HEAD") { "" } else { body };
        log.lock().unwrap().push(request);
        let version = "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\nETag: \"1\"";
        let length = body.len();
        if write!(stream, "HTTP/1.1 {status}\r\n{version}\r\nContent-Length: {length}\r\n\r\n{shown}")
            .is_err()
        {
            return;
        }
    }
}

fn store() -> ObjectStore {
    ObjectStore::new(Kind::Http, Arc::new(StoreOptions::from_iter([("io.retries", "0")])), Arc::default())
}

#[test]
fn a_small_file_of_a_known_size_is_one_request() {
    let (address, seen) = serve();
    let source = store().open_sized(&format!("{address}/f"), 10).unwrap();
    assert_eq!(source.read_end(4).unwrap(), (10, "6789".into()));
    assert_eq!(source.read_ranges(&[2..5, 0..1]).unwrap(), ["234", "0"]);
    assert_eq!((source.size().unwrap(), source.read_all(10).unwrap()), (10, CONTENT.into()));
    assert_eq!(*seen.lock().unwrap(), ["GET /f HTTP/1.1"]);
}

#[test]
fn a_wrong_size_is_found_by_the_answer() {
    let (address, seen) = serve();
    for claim in [4, 12] {
        let source = store().open_sized(&format!("{address}/f"), claim).unwrap();
        assert_eq!(source.read_end(3).unwrap(), (10, "789".into()));
    }
    // The second is asked for as a whole, and then its end is known.
    assert_eq!(seen.lock().unwrap().len(), 3);
}

#[test]
fn a_url_is_asked_for_with_its_escapes_and_its_query() {
    let (address, seen) = serve();
    let source = store().open(&format!("{address}/a%20b/c?key=1")).unwrap();
    assert_eq!(source.read(2..5).unwrap(), "234");
    assert_eq!(source.read_all(10).unwrap(), CONTENT);
    assert_eq!(source.size().unwrap(), 10);
    assert_eq!(seen.lock().unwrap()[0], "GET /a%20b/c?key=1 HTTP/1.1");
}

#[test]
fn what_a_server_refuses_names_the_file_and_no_query() {
    let (address, _) = serve();
    let source = store().open(&format!("{address}/f?secret=1")).unwrap();
    for range in [5..11, 10..11] {
        let error = source.read(range).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    }
    let error = store().open(&format!("{address}/private?secret=1")).unwrap().read(0..1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
    assert!(!error.to_string().contains("secret") && error.to_string().contains("/private)"), "{error}");
    assert_eq!(store().list(&address).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn a_server_that_is_not_there_is_an_error_that_can_be_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    drop(listener);
    let error = store().open(&format!("{address}/f?secret=1")).unwrap().read(0..1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage);
    assert!(error.is_retryable() && !error.to_string().contains("secret"), "{error}");
}

#[test]
fn a_bucket_behind_an_endpoint_is_asked_for_the_key_as_it_is_written() {
    let (address, seen) = serve();
    let options = StoreOptions::from_iter([
        ("s3.endpoint", address.as_str()),
        ("s3.region", "eu-north-1"),
        ("s3.access-key-id", "key-of-a-user"),
        ("s3.secret-access-key", "secret-of-a-user"),
        ("s3.path-style-access", "true"),
        ("io.retries", "0"),
    ]);
    let store = ObjectStore::new(Kind::S3, Arc::new(options), Arc::default());
    let source = store.open("s3a://bucket/p=a%2Fb/c d").unwrap();
    assert_eq!(source.read_ranges(&[7..9, 0..2]).unwrap(), ["78", "01"]);
    assert_eq!(*seen.lock().unwrap(), ["GET /bucket/p%3Da%252Fb/c%20d HTTP/1.1"]);
    let error = store.open("s3://bucket/private").unwrap().read(0..1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
    assert!(!error.to_string().contains("of-a-user"), "{error}");
    let source = store.open("s3://bucket/f").unwrap();
    for range in [5..11, 10..11] {
        assert_eq!(source.read(range).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
