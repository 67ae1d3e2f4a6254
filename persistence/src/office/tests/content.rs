//! Versions of articles: who may take which step, and what is never changed.

use super::staff::enrolled;
use super::*;

fn draft(author: u64, article: Option<u64>, texts: &str) -> NewVersion {
    let (cover, url, texts) = (String::new(), String::new(), texts.to_owned());
    NewVersion { article, category: 4, sorts: 0, cover, url, texts, publish_ms: NOW, author }
}

fn write(rig: &Rig, new: &NewVersion, again: Option<u64>) -> Option<u64> {
    rig.wait(rig.office.write_article(new, again, (&entry("write"), NOW)))
}

fn step(rig: &Rig, id: u64, to: VersionState, by: u64) -> bool {
    let step = VersionStep { id, to, by, note: "why".into() };
    rig.wait(rig.office.step_article(&step, (&entry("step"), NOW + 1)))
}

#[test]
fn a_version_is_approved_by_another_and_what_was_approved_is_never_changed() {
    let rig = Rig::new();
    let (ann, bea) = (enrolled(&rig, "anna", 1), enrolled(&rig, "bea", 2));
    let id = write(&rig, &draft(ann, None, "a"), None).expect("a draft");
    assert_eq!(write(&rig, &draft(ann, None, "b"), Some(id)), Some(id));
    assert_eq!(write(&rig, &draft(bea, None, "c"), Some(id)), None, "another's draft");
    assert!(!step(&rig, id, VersionState::Approved, bea), "it is no draft that is approved");
    assert!(!step(&rig, id, VersionState::Review, bea), "its author sends it");
    assert!(step(&rig, id, VersionState::Review, ann));
    assert_eq!(write(&rig, &draft(ann, None, "d"), Some(id)), None, "what others look at stays");
    assert!(!step(&rig, id, VersionState::Approved, ann), "nobody approves their own");
    assert!(!step(&rig, id, VersionState::Refused, ann));
    assert!(!step(&rig, id, VersionState::Draft, ann), "no way leads back");
    let rows = rig.wait(rig.office.audit(&AuditFilter::default(), 100)).len();
    assert!(step(&rig, id, VersionState::Approved, bea));
    assert!(!step(&rig, id, VersionState::Approved, bea) && !step(&rig, id, VersionState::Refused, bea), "once");
    assert_eq!(rig.wait(rig.office.audit(&AuditFilter::default(), 100)).len(), rows + 1, "what is done, and no more");
    let approved = rig.wait(rig.office.approved_articles());
    assert_eq!((approved[0].article, approved[0].written.texts.as_str()), (FIRST_ARTICLE, "b"));
    assert_eq!((approved[0].decided_by, approved[0].decided_ms), (Some(bea), Some(NOW + 1)));
    assert_eq!(write(&rig, &draft(ann, None, "e"), Some(id)), None);
    assert!(step(&rig, id, VersionState::Withdrawn, ann) && !step(&rig, id, VersionState::Withdrawn, ann));
    assert_eq!(rig.wait(rig.office.article_version(id)).expect("it stays").state, VersionState::Withdrawn);
}

#[test]
fn new_articles_have_numbers_of_their_own_and_versions_that_of_their_article() {
    let rig = Rig::new();
    let ann = enrolled(&rig, "anna", 1);
    let ids =
        [None, None, Some(3), Some(FIRST_ARTICLE)].map(|of| write(&rig, &draft(ann, of, "a"), None).expect("written"));
    let articles = ids.map(|id| rig.wait(rig.office.article_version(id)).expect("there").article);
    assert_eq!(articles, [FIRST_ARTICLE, FIRST_ARTICLE + 1, 3, FIRST_ARTICLE]);
    let of_first = rig.wait(rig.office.article_versions(Some(FIRST_ARTICLE), 10));
    assert_eq!(of_first.iter().map(|version| version.id).collect::<Vec<_>>(), [ids[3], ids[0]], "the newest first");
    assert_eq!(rig.wait(rig.office.article_versions(None, 2)).len(), 2);
    assert!(rig.wait(rig.office.approved_articles()).is_empty());
}
