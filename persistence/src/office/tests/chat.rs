//! Conversations: who may say what, what is stored once, whose turn it is, what ends and what is erased.

use super::staff::enrolled;
use super::*;

const HOUR: u64 = 60 * MINUTE;

struct Chat {
    rig: Rig,
    user: AccountId,
    id: u64,
}

impl Chat {
    fn new() -> Chat {
        let rig = Rig::new();
        let user = rig.register("a@b.c").id;
        let id = opened(&rig, &ChatParty::User(user), false, NOW).id;
        Chat { rig, user, id }
    }

    fn say(&self, client_id: &str, staff: Option<u64>, text: &str, now: u64) -> ChatSaid {
        let new =
            NewChatMessage { conversation: self.id, client_id: client_id.into(), staff, text: text.into(), file: None };
        self.rig.wait(self.rig.office.say(&new, now))
    }

    fn claim(&self, id: u64, staff: u64) -> ChatClaim {
        self.rig.wait(self.rig.office.claim_conversation(id, staff, (&entry("claim chat"), NOW)))
    }

    fn hand_over(&self, from: u64, to: Option<u64>) -> ChatClaim {
        self.rig.wait(self.rig.office.hand_over(self.id, (from, to), (&entry("hand over chat"), NOW + 9)))
    }

    fn close(&self, staff: u64, now: u64) -> bool {
        self.rig.wait(self.rig.office.close_conversation(self.id, staff, (&entry("close chat"), now)))
    }

    fn now(&self) -> Conversation {
        self.rig.wait(self.rig.office.conversation(self.id)).expect("there")
    }

    fn texts(&self) -> Vec<String> {
        self.rig.wait(self.rig.office.chat_messages(self.id, 0, 100)).into_iter().map(|m| m.text).collect()
    }
}

fn opened(rig: &Rig, party: &ChatParty, is_new: bool, now: u64) -> Conversation {
    rig.wait(rig.office.open_conversation(party, (ChatTopic::Support, "en"), is_new, now))
}

fn stored(said: ChatSaid) -> u64 {
    match said {
        ChatSaid::Now(message) => message.id,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_sent_twice_is_one_message() {
    let chat = Chat::new();
    let first = stored(chat.say("a", None, "hello", NOW));
    match chat.say("a", None, "something else", NOW + 5) {
        ChatSaid::Before(message) => assert_eq!((message.id, message.text.as_str()), (first, "hello")),
        other => panic!("{other:?}"),
    }
    stored(chat.say("b", None, "hello", NOW));
    assert_eq!(chat.texts(), ["hello", "hello"]);
    let ann = enrolled(&chat.rig, "anna", 1);
    assert_eq!(chat.claim(chat.id, ann), ChatClaim::Done);
    stored(chat.say("a", Some(ann), "good day", NOW));
    assert!(chat.close(ann, NOW));
    assert!(matches!(chat.say("a", None, "hello", NOW), ChatSaid::Before(_)), "also once it is closed");
    assert_eq!(chat.say("c", None, "hello", NOW), ChatSaid::Closed);
}

#[test]
fn turns_change_and_a_wait_is_counted_from_its_first_message() {
    let chat = Chat::new();
    assert_eq!((chat.now().state, chat.now().waits_ms), (ChatState::Open, None));
    assert_eq!(chat.rig.wait(chat.rig.office.conversations(10)), [], "nothing was said");
    stored(chat.say("a", None, "hello", NOW + 1));
    stored(chat.say("b", None, "are you there", NOW + 2));
    assert_eq!((chat.now().state, chat.now().waits_ms), (ChatState::WaitingAgent, Some(NOW + 1)));
    assert_eq!(chat.rig.wait(chat.rig.office.conversations_waiting()), (1, Some(NOW + 1)));
    let (ann, bea) = (enrolled(&chat.rig, "anna", 1), enrolled(&chat.rig, "bea", 2));
    assert_eq!(chat.say("c", Some(ann), "yes", NOW + 3), ChatSaid::NotHeld);
    assert_eq!((chat.claim(chat.id, ann), chat.claim(chat.id, bea)), (ChatClaim::Done, ChatClaim::Taken));
    assert_eq!(chat.say("c", Some(bea), "yes", NOW + 3), ChatSaid::NotHeld, "somebody else holds it");
    stored(chat.say("c", Some(ann), "yes", NOW + 3));
    assert_eq!((chat.now().state, chat.now().waits_ms), (ChatState::WaitingUser, None));
    assert_eq!(chat.rig.wait(chat.rig.office.conversations_waiting()), (0, None));
    assert_eq!(chat.hand_over(bea, Some(ann)), ChatClaim::Taken, "only who holds it hands it over");
    assert_eq!(chat.hand_over(ann, Some(bea)), ChatClaim::Done);
    assert_eq!((chat.now().staff, chat.now().waits_ms), (Some(bea), Some(NOW + 9)));
    assert_eq!(chat.hand_over(bea, None), ChatClaim::Done);
    assert!(chat.now().staff.is_none() && !chat.close(bea, NOW + 10));
    assert_eq!(chat.texts(), ["hello", "are you there", "chat_joined", "yes", "chat_handed_over", "chat_handed_over"]);
}

#[test]
fn a_person_holds_six_and_the_longest_wait_comes_first() {
    let chat = Chat::new();
    let (ann, bea) = (enrolled(&chat.rig, "anna", 1), enrolled(&chat.rig, "bea", 2));
    let office = &chat.rig.office;
    let mut ids = Vec::new();
    for n in 0..8_u64 {
        let id = opened(&chat.rig, &ChatParty::Visitor(format!("v{n}")), false, NOW).id;
        let new =
            NewChatMessage { conversation: id, client_id: "a".into(), staff: None, text: "hi".into(), file: None };
        stored(chat.rig.wait(office.say(&new, NOW + 10 - n)));
        ids.push(id);
    }
    let queue: Vec<u64> = chat.rig.wait(office.conversations(100)).iter().map(|c| c.id).collect();
    assert_eq!(queue, ids.iter().rev().copied().collect::<Vec<_>>());
    assert!(ids[..6].iter().all(|id| chat.claim(*id, ann) == ChatClaim::Done));
    assert_eq!(chat.claim(ids[6], ann), ChatClaim::Full);
    assert_eq!(chat.claim(ids[6], bea), ChatClaim::Done);
    let audit = entry("hand over chat");
    assert_eq!(chat.rig.wait(office.hand_over(ids[6], (bea, Some(ann)), (&audit, NOW))), ChatClaim::Full);
    assert!(chat.rig.wait(office.close_conversation(ids[0], ann, (&audit, NOW))));
    assert_eq!(chat.claim(ids[7], ann), ChatClaim::Done);
}

#[test]
fn each_side_reads_up_to_a_message_and_never_back() {
    let chat = Chat::new();
    let ann = enrolled(&chat.rig, "anna", 1);
    let first = stored(chat.say("a", None, "hello", NOW));
    assert_eq!((chat.now().user_read, chat.now().staff_read), (first, 0));
    let read = |side, upto| chat.rig.wait(chat.rig.office.read_chat(chat.id, side, upto));
    assert!(read(ChatSender::Agent, first) && !read(ChatSender::Agent, first) && !read(ChatSender::Agent, 0));
    assert_eq!(chat.claim(chat.id, ann), ChatClaim::Done);
    let answer = stored(chat.say("b", Some(ann), "hi", NOW));
    assert_eq!(chat.rig.wait(chat.rig.office.unread_answers(chat.user)), 1);
    assert!(read(ChatSender::User, u64::MAX >> 1), "what is not there is not read");
    assert_eq!((chat.now().user_read, chat.now().last), (answer, answer));
    assert_eq!(chat.rig.wait(chat.rig.office.unread_answers(chat.user)), 0);
    stored(chat.say("c", Some(ann), "still there?", NOW));
    chat.rig.wait(chat.rig.office.read_answers(chat.user));
    assert_eq!(chat.rig.wait(chat.rig.office.unread_answers(chat.user)), 0);
}

#[test]
fn a_closed_one_is_shown_until_it_has_stars_and_then_there_is_a_new_one() {
    let chat = Chat::new();
    let (ann, party) = (enrolled(&chat.rig, "anna", 1), ChatParty::User(chat.user));
    assert_eq!(opened(&chat.rig, &party, true, NOW).id, chat.id, "it is not closed");
    stored(chat.say("a", None, "hello", NOW));
    let rate = |stars| chat.rig.wait(chat.rig.office.rate_conversation(chat.id, stars));
    assert!(!rate(5), "it is not closed");
    assert_eq!(chat.claim(chat.id, ann), ChatClaim::Done);
    assert!(chat.close(ann, NOW) && !chat.close(ann, NOW));
    assert_eq!(opened(&chat.rig, &party, false, NOW + HOUR).id, chat.id);
    assert!(rate(4) && rate(4) && !rate(5), "the same again is the same");
    let next = opened(&chat.rig, &party, false, NOW + HOUR);
    assert_eq!((next.id > chat.id, next.state), (true, ChatState::Open));
    let stranger = opened(&chat.rig, &ChatParty::Visitor("v".into()), false, NOW + HOUR);
    assert!(stranger.id > next.id, "another's is nobody else's");
    assert_eq!(chat.rig.wait(chat.rig.office.closed_conversations(None, 9)).len(), 1);
}

#[test]
fn what_nobody_goes_on_with_is_closed_after_a_day_and_erased_after_half_a_year() {
    let chat = Chat::new();
    stored(chat.say("a", None, "hello", NOW));
    let empty = opened(&chat.rig, &ChatParty::Visitor("v".into()), false, NOW).id;
    let office = &chat.rig.office;
    let close = |now| chat.rig.wait(office.close_idle_conversations("exchange", now));
    assert_eq!(close(NOW + CHAT_IDLE_MS - 1), []);
    assert_eq!(close(NOW + CHAT_IDLE_MS), [(chat.id, ChatParty::User(chat.user))]);
    assert_eq!(close(NOW + CHAT_IDLE_MS), []);
    assert_eq!(chat.rig.wait(office.conversation(empty)), None, "nobody said anything in it");
    assert_eq!(
        (chat.now().state, chat.texts().last().map(String::as_str)),
        (ChatState::Closed, Some("chat_closed_idle"))
    );
    let closings = AuditFilter { action: "close chat".into(), ..AuditFilter::default() };
    let rows = chat.rig.wait(office.audit(&closings, 9));
    assert_eq!(rows.len(), 1);
    let end = NOW + CHAT_IDLE_MS + CHAT_KEPT_MS;
    chat.rig.wait(office.erase_chats(end - 1));
    assert_eq!(chat.texts().len(), 2);
    chat.rig.wait(office.erase_chats(end));
    assert_eq!((chat.texts().len(), chat.now().state), (0, ChatState::Closed));
}

#[test]
fn a_picture_is_its_owners_used_once_and_lives_as_long_as_the_conversation() {
    let chat = Chat::new();
    let office = &chat.rig.office;
    let other = chat.rig.register("b@b.c").id;
    for (name, user) in [("mine", chat.user), ("theirs", other)] {
        let file = PrivateFile { name: name.into(), user, ending: "png".into(), sealed_key: vec![1], side: None };
        chat.rig.wait(office.add_private_file(&file, NOW));
    }
    let send = |client_id: &str, name: &str| {
        let (client_id, text, file) = (client_id.to_owned(), String::new(), Some(name.to_owned()));
        chat.rig.wait(office.say(&NewChatMessage { conversation: chat.id, client_id, staff: None, text, file }, NOW))
    };
    assert_eq!((send("a", "theirs"), send("a", "none")), (ChatSaid::NoPicture, ChatSaid::NoPicture));
    stored(send("b", "mine"));
    assert_eq!(send("c", "mine"), ChatSaid::NoPicture, "it is used");
    assert!(matches!(send("b", "mine"), ChatSaid::Before(_)));
    assert!(chat.rig.wait(office.chat_picture(chat.id, "mine")).is_some());
    assert!(chat.rig.wait(office.chat_picture(chat.id, "theirs")).is_none());
    assert_eq!(chat.rig.wait(office.forget_pictures(NOW + PICTURE_KEPT_MS)), ["theirs"]);
    chat.rig.wait(office.close_idle_conversations("exchange", NOW + CHAT_IDLE_MS));
    assert!(chat.rig.wait(office.forget_pictures(NOW + CHAT_IDLE_MS + CHAT_KEPT_MS - 1)).is_empty());
    assert_eq!(chat.rig.wait(office.forget_pictures(NOW + CHAT_IDLE_MS + CHAT_KEPT_MS)), ["mine"]);
}

#[test]
fn what_somebody_held_who_works_here_no_more_waits_for_others() {
    let chat = Chat::new();
    stored(chat.say("a", None, "hello", NOW));
    let (ann, bob) = (enrolled(&chat.rig, "anna", 1), enrolled(&chat.rig, "bob", 2));
    assert_eq!(chat.claim(chat.id, ann), ChatClaim::Done);
    stored(chat.say("b", Some(ann), "good day", NOW + 1));
    assert!(chat.rig.wait(chat.rig.office.disable_staff("anna", &entry("disable"), NOW + 2)));
    let now = chat.now();
    assert_eq!((now.state, now.staff, now.waits_ms), (ChatState::WaitingAgent, None, Some(NOW + 2)));
    assert_eq!(chat.claim(chat.id, bob), ChatClaim::Done);
}

#[test]
fn nobody_writes_on_and_on_without_an_answer() {
    let chat = Chat::new();
    let ann = enrolled(&chat.rig, "anna", 1);
    for n in 0..50 {
        stored(chat.say(&format!("m{n}"), None, "hello?", NOW + n));
    }
    assert_eq!(chat.say("more", None, "hello?", NOW + 50), ChatSaid::TooMany);
    assert!(matches!(chat.say("m3", None, "hello?", NOW + 50), ChatSaid::Before(_)), "what is there is there");
    assert_eq!(chat.claim(chat.id, ann), ChatClaim::Done);
    stored(chat.say("a", Some(ann), "good day", NOW + 51));
    stored(chat.say("more", None, "thanks", NOW + 52));
}
