/** What fakes say, held against the shapes of the server's calls: one field too few or too many is no answer of the server. */
import * as apiKeys from '../../lib/api/schema/apiKeysCalls';
import * as auth from '../../lib/api/schema/authCalls';
import * as common from '../../lib/api/schema/commonCalls';
import * as index from '../../lib/api/schema/indexCalls';
import * as market from '../../lib/api/schema/marketCalls';
import * as orderGroups from '../../lib/api/schema/orderGroupsCalls';
import * as spot from '../../lib/api/schema/spotCalls';
import * as user from '../../lib/api/schema/userCalls';
import * as wallet from '../../lib/api/schema/walletCalls';
import { type CallShape, nothing } from '../../lib/api/shape';

type AnyCall = CallShape<object, unknown, unknown>;

const ROOMS = [apiKeys, orderGroups, auth, common, index, market, spot, user, wallet];
const isCall = (value: unknown): value is AnyCall => typeof value === 'object' && value !== null && 'path' in value;
const CALLS = new Map(
  ROOMS.flatMap((room) => Object.values<unknown>(room))
    .filter(isCall)
    .map((call) => [call.path, call]),
);

interface Told {
  type?: unknown;
  code?: unknown;
  message?: unknown;
  data?: unknown;
}

/** Where an answer is not like those of its call; undefined when it is, or when the server does not have the call yet. */
export function lieOf(path: string, body: unknown): string | undefined {
  const call = CALLS.get(path);
  const told = body as Told;
  if (!call || told.type !== 'ok') return undefined;
  if (told.code !== 1) return `${path} code`;
  const message = call.message(told.message, true);
  if (message !== undefined) return `${path} message${message}`;
  const data = (call.data ?? nothing)(told.data ?? null, true);
  return data === undefined ? undefined : `${path} data${data}`;
}
