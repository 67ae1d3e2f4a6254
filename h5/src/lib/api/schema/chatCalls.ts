// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, flag, list, object, oneOf, type Shape, text, whole } from '../shape';

export interface ChatMessage {
  /** As its sender drew it; empty of others. */
  client_id: string;
  /** Plain text. */
  content: string;
  create_ms: number;
  create_time: string;
  from: 'user' | 'agent' | 'system';
  /** Later ones have higher numbers. */
  id: number;
  /** What the call of pictures is asked with; empty without one. */
  image: string;
}

export const chatMessageShape: Shape<ChatMessage> = object({
  client_id: text,
  content: text,
  create_ms: whole,
  create_time: text,
  from: oneOf('user', 'agent', 'system'),
  id: whole,
  image: text,
});

export interface ChatConversation {
  /** The last message that the staff has read; 0 for none. */
  agent_read: number;
  agent_typing: boolean;
  id: number;
  /** Somebody of the staff takes care of it. */
  is_held: boolean;
  /** Somebody of the staff is there now. */
  is_staffed: boolean;
  /** The last message; 0 for none. */
  last: number;
  /** 0: none yet. */
  stars: 0 | 1 | 2 | 3 | 4 | 5;
  state: 'open' | 'waiting_agent' | 'waiting_user' | 'closed';
  topic: 'support' | 'loan' | 'repay';
  /** The last message that who asks has read; 0 for none. */
  user_read: number;
  /** Of who is not logged in: what all further calls are asked with. */
  visitor_id: string;
}

export const chatConversationShape: Shape<ChatConversation> = object({
  agent_read: whole,
  agent_typing: flag,
  id: whole,
  is_held: flag,
  is_staffed: flag,
  last: whole,
  stars: oneOf(0, 1, 2, 3, 4, 5),
  state: oneOf('open', 'waiting_agent', 'waiting_user', 'closed'),
  topic: oneOf('support', 'loan', 'repay'),
  user_read: whole,
  visitor_id: text,
});

export interface ChatLogsFields {
  /** Of the conversation. */
  id: string | number;
  /** Only what was said after it; 0 unless said otherwise. */
  after_id?: string | number;
  /** Of who is not logged in: what open answered. */
  visitor_id?: string;
}

/** `GET /api/chat/logs` */
export const chatLogs: CallShape<ChatLogsFields, ChatMessage[], ChatConversation> = describeCall(
  'GET',
  '/chat/logs',
  list(chatMessageShape),
  chatConversationShape,
);

export interface ChatOpenFields {
  /** 1: a new one, where the last one is closed and has no stars yet. */
  new?: 0 | 1;
  topic: 'support' | 'loan' | 'repay';
  /** Of who is not logged in; without it somebody new. */
  visitor_id?: string;
}

/** `POST /api/chat/open` */
export const chatOpen: CallShape<ChatOpenFields, ChatConversation> = describeCall(
  'POST',
  '/chat/open',
  chatConversationShape,
);

export interface ChatPictureFields {
  /** Of the conversation. */
  id: string | number;
  /** As the message names it. */
  image: string;
}

/** `GET /api/chat/picture` */
export const chatPicture: CallShape<ChatPictureFields, string> = describeCall('GET', '/chat/picture', text);

export interface ChatRateFields {
  /** Of the conversation. */
  id: string | number;
  stars: 1 | 2 | 3 | 4 | 5;
  /** Of who is not logged in: what open answered. */
  visitor_id?: string;
}

/** `POST /api/chat/rate` */
export const chatRate: CallShape<ChatRateFields, string> = describeCall('POST', '/chat/rate', text);

export interface ChatReadFields {
  /** Of the conversation. */
  id: string | number;
  /** The last message that was read. */
  upto: string | number;
  /** Of who is not logged in: what open answered. */
  visitor_id?: string;
}

/** `POST /api/chat/read` */
export const chatRead: CallShape<ChatReadFields, string> = describeCall('POST', '/chat/read', text);

export interface ChatSendFields {
  /** 1 to 64 letters, digits, - and _, drawn for this message: sent twice it is one message. */
  client_id: string;
  /** 1 to 1,000 letters of plain text; this or image. */
  content?: string;
  /** Of the conversation. */
  id: string | number;
  /** What the upload of the kind chat said; of users alone. */
  image?: string;
  /** Of who is not logged in: what open answered. */
  visitor_id?: string;
}

/** `POST /api/chat/send` */
export const chatSend: CallShape<ChatSendFields, ChatMessage> = describeCall('POST', '/chat/send', chatMessageShape);

export interface ChatTypingFields {
  /** Of the conversation. */
  id: string | number;
  /** Of who is not logged in: what open answered. */
  visitor_id?: string;
}

/** `POST /api/chat/typing` */
export const chatTyping: CallShape<ChatTypingFields, string> = describeCall('POST', '/chat/typing', text);
