/** Conversations with the staff: what the fake's account and its guests write, and what a test answers for the staff. */
import type { ChatConversation, ChatMessage } from '../../lib/api/schema/chatCalls';
import { Refusal, timeText } from './call.ts';

type Topic = ChatConversation['topic'];
export const VISITOR = 'visitor.0123456789abcdef';
const TOPICS: readonly string[] = ['support', 'loan', 'repay'];
const MOST_LETTERS = 1_000;
/** One pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Fake {
  conversation: ChatConversation;
  rows: ChatMessage[];
}

export class FakeChat {
  isStaffed = true;
  readonly #all: Fake[] = [];
  readonly #pictures = new Set<string>();
  readonly #now: () => number;
  #lastMessage = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  #told({ conversation }: Fake): ChatConversation {
    return { ...conversation, is_staffed: this.isStaffed };
  }

  /** Of who asks; another's is not there. */
  #find(id: number, who: string): Fake {
    const found = this.#all.find(({ conversation }) => conversation.id === id && conversation.visitor_id === who);
    if (!found) throw new Refusal(1003, 'Data not found');
    return found;
  }

  open(topic: string, who: string, isNew: boolean): ChatConversation {
    if (!TOPICS.includes(topic)) throw new Refusal(1001, 'Parameter error', { topic: 'support, loan or repay' });
    const last = this.#all.findLast(
      ({ conversation }) => conversation.topic === topic && conversation.visitor_id === who,
    );
    if (last && (last.conversation.state !== 'closed' || (!isNew && last.conversation.stars === 0)))
      return this.#told(last);
    const made: Fake = {
      conversation: {
        id: this.#all.length + 1,
        topic: topic as Topic,
        state: 'open',
        last: 0,
        user_read: 0,
        agent_read: 0,
        agent_typing: false,
        is_held: false,
        is_staffed: this.isStaffed,
        stars: 0,
        visitor_id: who,
      },
      rows: [],
    };
    this.#all.push(made);
    return this.#told(made);
  }

  #add(fake: Fake, said: Partial<ChatMessage> & Pick<ChatMessage, 'from'>): ChatMessage {
    this.#lastMessage += 1;
    const ms = this.#now();
    const row: ChatMessage = {
      id: this.#lastMessage,
      client_id: '',
      content: '',
      image: '',
      create_time: timeText(ms),
      create_ms: ms,
      ...said,
    };
    fake.rows.push(row);
    fake.conversation.last = row.id;
    return row;
  }

  send(id: number, who: string, said: Record<string, string>): ChatMessage {
    const fake = this.#find(id, who);
    const { client_id = '', content = '', image = '' } = said;
    const before = fake.rows.find((row) => row.client_id === client_id);
    if (before) return before;
    if (fake.conversation.state === 'closed') throw new Refusal(1004, 'This conversation is closed: start a new one');
    if (client_id === '') throw new Refusal(1001, 'Parameter error', { client_id: 'missing' });
    if (image === '' && (content.trim() === '' || content.length > MOST_LETTERS))
      throw new Refusal(1001, 'Parameter error', { content: 'longer than 1,000 letters' });
    if (image !== '' && !this.#pictures.delete(image)) throw new Refusal(1001, 'Parameter error', { image: 'unknown' });
    const row = this.#add(fake, { from: 'user', client_id, content: content.trim(), image });
    fake.conversation.state = 'waiting_agent';
    fake.conversation.user_read = row.id;
    return row;
  }

  upload(): string {
    const name = `private/chat${this.#pictures.size}-${this.#lastMessage}`;
    this.#pictures.add(name);
    return name;
  }

  logs(id: number, who: string, after: number): [ChatMessage[], ChatConversation] {
    const fake = this.#find(id, who);
    return [fake.rows.filter((row) => row.id > after).map((row) => ({ ...row })), this.#told(fake)];
  }

  picture(id: number, image: string): string {
    if (!this.#find(id, '').rows.some((row) => row.image === image)) throw new Refusal(1003, 'Data not found');
    return PIXEL;
  }

  read(id: number, who: string, upto: number): void {
    const { conversation } = this.#find(id, who);
    conversation.user_read = Math.max(conversation.user_read, Math.min(upto, conversation.last));
  }

  rate(id: number, who: string, stars: number): void {
    const { conversation } = this.#find(id, who);
    if (conversation.state !== 'closed') throw new Refusal(1004, 'The conversation is not closed yet');
    conversation.stars = stars as ChatConversation['stars'];
  }

  /** Answers of the staff that the account has not read. */
  unread(): number {
    const unread = ({ conversation, rows }: Fake) =>
      rows.filter((row) => row.from === 'agent' && row.id > conversation.user_read).length;
    return this.#all
      .filter(({ conversation }) => conversation.visitor_id === '')
      .reduce((sum, one) => sum + unread(one), 0);
  }

  // What the staff does, in the newest conversation.

  #newest(): Fake {
    const newest = this.#all.at(-1);
    if (!newest) throw new Error('nobody has opened a conversation');
    return newest;
  }

  get id(): number {
    return this.#newest().conversation.id;
  }

  get texts(): string[] {
    return this.#newest().rows.map((row) => row.content);
  }

  claim(): void {
    this.#newest().conversation.is_held = true;
    this.#add(this.#newest(), { from: 'system', content: 'A member of our team has joined the conversation' });
  }

  answer(content: string): void {
    const fake = this.#newest();
    this.#add(fake, { from: 'agent', content });
    fake.conversation.state = 'waiting_user';
    fake.conversation.agent_read = fake.conversation.last;
  }

  close(): void {
    this.#newest().conversation.state = 'closed';
    this.#add(this.#newest(), { from: 'system', content: 'The conversation was closed' });
  }
}
