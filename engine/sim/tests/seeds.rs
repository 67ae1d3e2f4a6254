//! A handful of seeds with every test run; `sim` runs as many as one likes.

use xng_sim::Run;

#[test]
fn seeds_run_without_a_finding() {
    for seed in 1..=12 {
        let run = Run::new(seed).map_err(|finding| (0, finding));
        if let Err((step, finding)) = run.and_then(|mut run| run.run(600)) {
            panic!("seed {seed}, step {step}: {finding}");
        }
    }
}

#[test]
fn an_answer_may_be_heard_when_the_day_of_its_key_is_over_and_the_key_was_used_again() {
    let mut run = Run::new(1_297).expect("starts");
    run.run(300).expect("nothing wrong");
}

#[test]
fn a_seed_repeats_itself() {
    let run = |seed| {
        let mut run = Run::new(seed).expect("starts");
        run.run(400).expect("nothing wrong");
        (run.records(), run.reached())
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

#[test]
fn a_disk_that_lies_about_syncs_is_noticed() {
    let findings = (1..=60).filter_map(|seed| Run::on_a_lying_disk(seed).expect("starts").run(600).err());
    // Fewer records than were durable, or none that the snapshot or the store could have come from.
    let lost =
        findings.filter(|(_, what)| ["are left", "is gone", "known to be durable"].iter().any(|w| what.contains(w)));
    let lost = lost.count();
    assert!(lost > 10, "power losses took what was acknowledged in {lost} of 60 runs");
}

#[test]
fn a_projection_follows_into_a_real_file() {
    let mut run = Run::new(50).expect("starts");
    run.run(600).expect("nothing wrong");
    assert!(run.reached()["compared with SQLite"] > 0);
}

/// Seeds that once found something, with what they found. A later change of what is drawn may lead them elsewhere.
#[test]
fn seeds_that_found_something_find_it_no_more() {
    for (seed, found) in [
        (1, "a lost answer and a store that did not say where it was stopped the persister"),
        (319, "a journal without room was sealed in front of records that waited for room"),
    ] {
        let run = Run::new(seed).map_err(|finding| (0, finding));
        if let Err((step, finding)) = run.and_then(|mut run| run.run(2_000)) {
            panic!("seed {seed} ({found}), step {step}: {finding}");
        }
    }
}
