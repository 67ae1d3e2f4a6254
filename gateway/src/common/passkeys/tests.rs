//! Registrations and signatures that are taken, and what of them is not.

#[path = "../../../tests/common/authenticator.rs"]
mod authenticator;

use super::*;
use authenticator::{Authenticator, VERIFIED, WITH_KEY, client};

const ORIGIN: &str = "http://localhost:8082";
const ONE: &str = "b25l";

fn registration(said: serde_json::Value) -> Registration {
    serde_json::from_value(said).unwrap()
}

#[test]
fn a_passkey_is_made_and_its_signature_is_good_for_one_challenge_on_our_pages_alone() {
    let (site, device) = (Site::new(ORIGIN).unwrap(), Authenticator::new());
    let (create, get) = ("webauthn.create", "webauthn.get");
    let made = |client: &str, id: &str, flags| site.register(b"one", &registration(device.register(client, id, flags)));
    let key = made(&client(create, ONE, ORIGIN), "localhost", WITH_KEY).unwrap();
    assert_eq!((key.credential.as_slice(), key.public_key, key.counter), (&device.name[..], device.cose(), 0));
    let elsewhere = "http://evil.example";
    for (said, id, flags, why) in [
        (client(get, ONE, ORIGIN), "localhost", WITH_KEY, Wrong::Elsewhere),
        (client(create, "dHdv", ORIGIN), "localhost", WITH_KEY, Wrong::Elsewhere),
        (client(create, ONE, elsewhere), "localhost", WITH_KEY, Wrong::Elsewhere),
        (client(create, ONE, ORIGIN), "evil.example", WITH_KEY, Wrong::Elsewhere),
        (client(create, ONE, ORIGIN), "localhost", 0x41, Wrong::Unverified),
        (client(create, ONE, ORIGIN), "localhost", VERIFIED, Wrong::Malformed),
        ("{}".into(), "localhost", WITH_KEY, Wrong::Malformed),
    ] {
        assert_eq!(made(&said, id, flags), Err(why), "{said} {id} {flags}");
    }

    let signs = |answer: &Assertion| site.verify(b"one", &device.cose(), answer);
    let signed = |device: &Authenticator, client: &str, id: &str, flags| -> Assertion {
        serde_json::from_value(device.sign(client, id, flags)).unwrap()
    };
    let good = signed(&device, &client(get, ONE, ORIGIN), "localhost", VERIFIED);
    assert_eq!(signs(&good), Ok(1));
    for (said, id, flags, why) in [
        (client(create, ONE, ORIGIN), "localhost", VERIFIED, Wrong::Elsewhere),
        (client(get, "dHdv", ORIGIN), "localhost", VERIFIED, Wrong::Elsewhere),
        (client(get, ONE, elsewhere), "localhost", VERIFIED, Wrong::Elsewhere),
        (client(get, ONE, ORIGIN), "evil.example", VERIFIED, Wrong::Elsewhere),
        (client(get, ONE, ORIGIN), "localhost", 1, Wrong::Unverified),
        (client(get, ONE, ORIGIN), "localhost", 4, Wrong::Unverified),
    ] {
        assert_eq!(signs(&signed(&device, &said, id, flags)), Err(why), "{said} {id} {flags}");
    }
    let other = signed(&Authenticator::new(), &client(get, ONE, ORIGIN), "localhost", VERIFIED);
    assert_eq!(signs(&other), Err(Wrong::Signature), "another key's");
    // What is kept in the audit is verified later as it was then.
    let kept: Assertion = serde_json::from_value(good.kept()).unwrap();
    assert_eq!(signs(&kept), Ok(1));
}

#[test]
fn a_site_has_a_name() {
    for origin in ["http://127.0.0.1:8082", "http://[::1]:8082", "localhost", "http://"] {
        assert!(Site::new(origin).is_none(), "{origin}");
    }
    let site = Site::new("https://office.example").unwrap();
    assert_eq!((site.origin(), site.id.as_str()), ("https://office.example", "office.example"));
}

proptest::proptest! {
    #[test]
    fn whatever_an_authenticator_says_nothing_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let site = Site::new(ORIGIN).unwrap();
        let said = client("webauthn.create", ONE, ORIGIN);
        let said = serde_json::json!({ "client_data": text(said.as_bytes()), "attestation": text(&bytes) });
        proptest::prop_assert!(site.register(b"one", &registration(said)).is_err());
        proptest::prop_assert!(PublicKey::read(&bytes).is_err());
    }
}
