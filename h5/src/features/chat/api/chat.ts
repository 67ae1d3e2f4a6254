/**
 * A conversation as the page has it: opened by its topic, kept up to date by events, or by asking again where there are none.
 * Owns: which conversation is shown, what was said in it, what is on its way. Invariants: a message is shown once, whichever way it came;
 * what was shown stays while the server is away.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { call, command } from '@/lib/api/client';
import { BusinessError } from '@/lib/api/errors';
import { countRead } from '@/lib/api/mail';
import {
  type ChatConversation,
  type ChatMessage,
  chatLogs,
  chatOpen,
  chatPicture,
  chatRate,
  chatRead,
  chatSend,
  chatTyping,
} from '@/lib/api/schema/chatCalls';
import type { CallShape } from '@/lib/api/shape';
import { uploadPicture } from '@/lib/api/upload';
import { useConnection, usePrivateEvents } from '@/lib/market';
import { useOnline } from '@/lib/online';
import { queryClient } from '@/lib/query';
import { currentToken, onTokenChange, useToken } from '@/lib/session';
import { smallPicture } from '@/lib/smallPicture';
import { remember, stored } from '@/lib/state';
import { type Outcome, SendQueue, type Unsent } from '../sendQueue';

export type { ChatConversation, ChatMessage };
export type Topic = ChatConversation['topic'];

export const TOPICS: readonly Topic[] = ['support', 'loan', 'repay'];

/** Messages of one answer at most. */
const MOST = 200;
/** Without events: guests have none. */
const POLL_MS = 3_000;
/** With events, for what an event may have missed. */
const SLOW_MS = 30_000;
const TYPES_MS = 6_000;
const TELL_TYPING_MS = 4_000;
const WRONG_FIELD = 1001;
const TOO_MANY = 1018;
const BUSY = 1020;

interface Logs {
  rows: readonly ChatMessage[];
  conversation: ChatConversation;
  /** The last message that the server told in order. */
  upto: number;
}

/** Who is not logged in is known by what the first call answered. */
const visitor = (): { visitor_id?: string } =>
  currentToken() === '' && stored().visitor !== '' ? { visitor_id: stored().visitor } : {};

async function asked<P extends object, T, D>(of: CallShape<P, T, D>, params: NoInfer<P>, signal?: AbortSignal) {
  const reply = await call(of, params, { quiet: true, signal });
  if (!reply.ok) throw new BusinessError(reply.code, reply.text, reply.fields);
  return reply;
}

/** What the server does not take for a visitor's any more is forgotten: a new one begins. */
async function openedBy(fields: { topic: Topic; new?: 1 }, signal?: AbortSignal) {
  const known = visitor();
  try {
    return await asked(chatOpen, { ...fields, ...known }, signal);
  } catch (cause) {
    if (known.visitor_id === undefined || !(cause instanceof BusinessError) || cause.code !== WRONG_FIELD) throw cause;
    remember({ visitor: '' });
    return await asked(chatOpen, fields, signal);
  }
}

async function open(topic: Topic, isNew: boolean, signal?: AbortSignal): Promise<ChatConversation> {
  const { message } = await openedBy({ topic, ...(isNew ? { new: 1 } : {}) }, signal);
  if (message.visitor_id !== '') remember({ visitor: message.visitor_id });
  return message;
}

const logsKey = (id: number | undefined) => ['chat', 'logs', id] as const;

function merged(before: readonly ChatMessage[], rows: readonly ChatMessage[]): readonly ChatMessage[] {
  if (rows.length === 0) return before;
  const all = new Map([...before, ...rows].map((row) => [row.id, row]));
  return [...all.values()].sort((one, other) => one.id - other.id);
}

/** What was said since. What was sent from here does not count: others may have said something just before it. */
async function follow(id: number, signal: AbortSignal): Promise<Logs> {
  const known = () => queryClient.getQueryData<Logs>(logsKey(id));
  let told: readonly ChatMessage[] = [];
  let upto = known()?.upto ?? 0;
  for (;;) {
    const { message, data } = await asked(chatLogs, { id, after_id: upto, ...visitor() }, signal);
    told = merged(told, message);
    upto = message.at(-1)?.id ?? upto;
    if (message.length < MOST) return { rows: merged(known()?.rows ?? [], told), conversation: data, upto };
  }
}

async function uploaded(row: Unsent): Promise<Outcome | string> {
  if (!row.picture) return '';
  if (row.image !== '') return row.image;
  const { signal } = new AbortController();
  const reply = await uploadPicture(row.picture, { kind: 'chat', signal, onProgress: () => undefined });
  if (!reply.ok) return { at: 'refused', why: reply.text };
  sendQueue.patch(row.clientId, { image: reply.message });
  return reply.message;
}

async function send(row: Unsent): Promise<Outcome> {
  try {
    const image = await uploaded(row);
    if (typeof image !== 'string') return image;
    const said = image === '' ? { content: row.content } : { image };
    const ids = { id: row.conversation, client_id: row.clientId };
    const reply = await call(chatSend, { ...ids, ...said, ...visitor() }, { quiet: true });
    if (!reply.ok) {
      if (reply.code === BUSY || reply.code === TOO_MANY) return { at: 'unknown' };
      // It may have been closed meanwhile.
      void queryClient.invalidateQueries({ queryKey: logsKey(row.conversation) });
      return { at: 'refused', why: reply.text };
    }
    queryClient.setQueryData<Logs>(logsKey(row.conversation), (logs) =>
      logs ? { ...logs, rows: merged(logs.rows, [reply.message]) } : logs,
    );
    return { at: 'done' };
  } catch {
    return { at: 'unknown' };
  }
}

export const sendQueue = new SendQueue(send);
onTokenChange(() => sendQueue.clear());

function useUnsent(id: number | undefined, rows: readonly ChatMessage[]): readonly Unsent[] {
  const all = useSyncExternalStore(sendQueue.subscribe, sendQueue.rows);
  const there = new Set(rows.map((row) => row.client_id));
  return all.filter((row) => row.conversation === id && !there.has(row.clientId));
}

/** Typing is told by an event, and ends by itself. */
function useAgentTyping(id: number | undefined, logs: Logs | undefined, isLive: boolean): boolean {
  const [until, setUntil] = useState(0);
  usePrivateEvents((event) => {
    if (event.event === 'chat_typing' && event.id === id) setUntil(Date.now() + TYPES_MS);
    if (event.event === 'chat' && event.id === id) setUntil(0);
  });
  useEffect(() => {
    if (until === 0) return;
    const timer = setTimeout(() => setUntil(0), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until]);
  return until > 0 || (!isLive && logs?.conversation.agent_typing === true);
}

/** What is on the screen was read. */
function useReading(id: number | undefined, logs: Logs | undefined): void {
  const last = logs?.rows.at(-1)?.id ?? 0;
  const unread = logs !== undefined && last > logs.conversation.user_read;
  useEffect(() => {
    if (!unread || id === undefined) return;
    const read = () => {
      if (document.visibilityState !== 'visible') return;
      call(chatRead, { id, upto: last, ...visitor() }, { quiet: true }).then(
        () => currentToken() !== '' && countRead((counts) => ({ ...counts, service: 0 })),
        // It is told again with the next message, or the next look.
        () => undefined,
      );
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [unread, id, last]);
}

/** The conversation about a topic. */
export function useChat(topic: Topic) {
  const token = useToken();
  const client = useQueryClient();
  const { phase, privateLive } = useConnection();
  const online = useOnline();
  const openKey = ['chat', 'open', topic, token] as const;
  const opened = useQuery({
    queryKey: openKey,
    queryFn: ({ signal }) => open(topic, false, signal),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { private: true },
  });
  const id = opened.data?.id;
  const isLive = token !== '' && privateLive && phase === 'live';
  const logs = useQuery({
    queryKey: logsKey(id),
    queryFn: ({ signal }) => follow(id ?? 0, signal),
    enabled: id !== undefined,
    staleTime: 0,
    refetchInterval: isLive ? SLOW_MS : POLL_MS,
    refetchOnWindowFocus: 'always',
    meta: { private: true },
  });
  const { refetch } = logs;
  usePrivateEvents((event) => {
    if ((event.event === 'chat' || event.event === 'chat_read') && event.id === id) void refetch();
  });
  useEffect(() => {
    // What came while the stream was away is not told again.
    if (isLive && id !== undefined) void client.invalidateQueries({ queryKey: logsKey(id) });
  }, [isLive, id, client]);
  useEffect(() => {
    if (online) sendQueue.resume();
  }, [online]);
  const rows = logs.data?.rows ?? [];
  useReading(id, logs.data);
  return {
    conversation: logs.data?.conversation ?? opened.data,
    rows,
    unsent: useUnsent(id, rows),
    isTyping: useAgentTyping(id, logs.data, isLive),
    isPending: opened.isPending || (id !== undefined && logs.isPending),
    error: opened.error ?? logs.error,
    // A conversation that is not there any more is opened anew.
    retry: () => void (opened.error || logs.error instanceof BusinessError ? opened.refetch() : refetch()),
    /** Begins anew after a closed one. */
    begin: async () => client.setQueryData(openKey, await open(topic, true)),
    rate: async (stars: 1 | 2 | 3 | 4 | 5) => {
      if (id === undefined) return;
      const reply = await command(chatRate, { id, stars, ...visitor() });
      if (reply.ok) void refetch();
    },
  };
}

let toldMs = 0;

/** The other side is told that something is typed, every now and then. */
export function tellTyping(id: number): void {
  if (Date.now() - toldMs < TELL_TYPING_MS) return;
  toldMs = Date.now();
  call(chatTyping, { id, ...visitor() }, { quiet: true }).catch(() => undefined);
}

/** A picture of the conversation, as an address of its data. */
export function useChatPicture(id: number, image: string) {
  return useQuery({
    queryKey: ['chat', 'picture', id, image],
    queryFn: async ({ signal }) => (await asked(chatPicture, { id, image }, signal)).message,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { private: true },
  });
}

/** A picture on its way; false when it cannot be opened. */
export async function sendPicture(id: number, file: Blob): Promise<boolean> {
  const small = await smallPicture(file).catch(() => undefined);
  if (small) sendQueue.add(id, { picture: small });
  return small !== undefined;
}
