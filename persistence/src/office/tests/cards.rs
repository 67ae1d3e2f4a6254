//! Bank cards: one of a kind, with its row of the audit, by a proof that still holds.

use super::*;

#[test]
fn a_card_is_one_of_its_kind_and_its_users_alone() {
    let rig = Rig::new();
    let (ann, bea) = (rig.register("ann@example.com").id, rig.register("bea@example.com").id);
    let office = &rig.office;
    let proof = rig.proof(ann);
    let save = |kind, sealed: &[u8], now| {
        rig.wait(office.save_card((ann, kind, sealed), &proof, (&entry("save bank card"), now)))
    };
    let card = |user, kind| rig.wait(office.card(user, kind));
    assert_eq!(card(ann, CardKind::Domestic), None);
    assert!(save(CardKind::Domestic, b"one", NOW) && save(CardKind::International, b"abroad", NOW + 1));
    assert!(save(CardKind::Domestic, b"two", NOW + 2));
    assert_eq!(card(ann, CardKind::Domestic), Some(StoredCard { sealed: b"two".to_vec(), saved_ms: NOW + 2 }));
    assert_eq!(card(ann, CardKind::International).map(|card| card.saved_ms), Some(NOW + 1));
    assert_eq!(card(bea, CardKind::Domestic), None);

    let remove = |user, kind| rig.wait(office.remove_card((user, kind), (&entry("remove bank card"), NOW + 3)));
    assert!(!remove(bea, CardKind::Domestic), "there is none, and no row of the audit");
    assert!(remove(ann, CardKind::Domestic) && !remove(ann, CardKind::Domestic));
    assert_eq!((card(ann, CardKind::Domestic), card(ann, CardKind::International).is_some()), (None, true));
    let rows = rig.wait(office.audit(&AuditFilter::default(), 10));
    let actions: Vec<&str> = rows.iter().rev().map(|row| row.entry.action.as_str()).collect();
    assert_eq!(actions, ["save bank card", "save bank card", "save bank card", "remove bank card"]);
}

#[test]
fn a_password_that_was_changed_meanwhile_saves_nothing() {
    let rig = Rig::new();
    let user = rig.register("ann@example.com").id;
    let proof = rig.proof(user);
    rig.execute("UPDATE users SET password_hash = 'another'").expect("executes");
    let audit = entry("save bank card");
    assert!(!rig.wait(rig.office.save_card((user, CardKind::Domestic, b"one"), &proof, (&audit, NOW))));
    assert_eq!(rig.wait(rig.office.card(user, CardKind::Domestic)), None);
    assert!(rig.wait(rig.office.audit(&AuditFilter::default(), 10)).is_empty());
}
