//! The app's files: the build's compressed twins, caching, nothing outside of the folder.

use crate::client::Server;

fn get(server: &Server, path: &str, accept: &str) -> (u16, String, String, String) {
    let url = format!("http://127.0.0.1:{}{path}", server.port);
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent.get(url).header("accept-encoding", accept).call().unwrap();
    let header = |name: &str| answer.headers().get(name).map_or("", |v| v.to_str().unwrap()).to_owned();
    let (encoding, cache) = (header("content-encoding"), header("cache-control"));
    assert!(!header("content-disposition").starts_with("attachment"), "{path} is shown, not saved");
    let body = answer.body_mut().read_to_string().unwrap_or_default();
    (answer.status().as_u16(), encoding, cache, body)
}

#[test]
fn files_come_as_the_build_compressed_them_and_are_kept_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let app = folder.path().join("app");
    std::fs::create_dir_all(app.join("assets")).unwrap();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    for (name, text) in [("index.html", "plain"), ("index.html.xx", "no twin"), ("assets/a-1.js", "script")] {
        std::fs::write(app.join(name), text).unwrap();
    }
    // What is in a twin is not looked at; a text that no decoder touches tells which one came.
    std::fs::write(app.join("index.html.br"), "brotli").unwrap();
    let server = Server::start(&[("XNG__SERVER__STATIC_DIR", app.to_str().unwrap())]);
    let (status, encoding, cache, _) = get(&server, "/h5/", "br");
    assert_eq!((status, &*encoding, &*cache), (200, "br", "no-cache"));
    let (status, encoding, _, body) = get(&server, "/h5/", "identity");
    assert_eq!((status, &*encoding, &*body), (200, "", "plain"));
    let (status, _, cache, body) = get(&server, "/h5/assets/a-1.js", "br");
    assert_eq!((status, &*cache, &*body), (200, "public, max-age=31536000, immutable", "script"));
    for path in ["/h5/../secret.txt", "/h5/%2e%2e/secret.txt", "/h5/..%2fsecret.txt", "/h5/missing.js"] {
        let (status, _, cache, body) = get(&server, path, "br");
        assert!(status >= 400 && !body.contains("secret"), "{path}: {status} {body}");
        assert!(!cache.contains("immutable"), "{path}: an error is not kept");
    }
}

#[test]
fn the_address_of_the_documentation_leads_to_its_page() {
    let server = Server::start(&[]);
    let agent: ureq::Agent = ureq::Agent::config_builder().max_redirects(0).build().into();
    let answer = agent.get(format!("http://127.0.0.1:{}/docs", server.port)).call().unwrap();
    assert_eq!(answer.status(), 302);
    assert_eq!(answer.headers()["location"], "/h5/#/pages/common/api_docs");
}
