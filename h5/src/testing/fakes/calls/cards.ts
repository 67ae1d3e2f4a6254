/** Bank cards: one of each kind, shown masked, saved by a confirmation. */
import { type Calls, ok, Refusal, timeText } from '../call.ts';
import { wantedOf } from '../safe.ts';
import type { FakeState } from '../state.ts';

const NAMES = [
  'real_name',
  'bank_name',
  'bank_account',
  'bank_dizhi',
  'alipay_account',
  'wechat_nickname',
  'wechat_account',
  'bank_branch',
  'phone',
] as const;

const FORMS = [
  'Account holder',
  'IBAN or account number',
  'SWIFT code (BIC)',
  'Bank name',
  'Bank address',
  'Country',
  'Account holder’s address',
  'Phone',
];

const masked = (text: string) => `•••• ${text.replace(/[\s-]/g, '').slice(-4)}`;

/** As its user is shown it: the second or third field is the account number, the last one the phone. */
const shown = (texts: readonly string[], account: number) =>
  texts.map((text, at) => (at === account || at === texts.length - 1 ? masked(text) : text));

export interface SavedCard {
  texts: string[];
  savedMs: number;
}

export function calls(state: FakeState): Calls {
  const { cards, safe } = state;
  const savedAt = (card: SavedCard | null) => ({
    saved_at: card ? timeText(card.savedMs) : '',
    saved_at_ms: card?.savedMs ?? 0,
  });
  return {
    '/user/cash_info': (request) => {
      state.member(request);
      const texts = cards.domestic ? shown(cards.domestic.texts, 2) : [];
      const fields = Object.fromEntries(NAMES.map((name, at) => [name, texts[at] ?? '']));
      return ok({ ...fields, banks: [], ...savedAt(cards.domestic) });
    },
    '/user/cash_save': (request) => {
      state.member(request);
      const { params } = request;
      const texts = NAMES.map((name) => {
        const text = params[name] ?? '';
        if (text === '') throw new Refusal(1001, `Parameter error: ${name}`, { [name]: 'missing' });
        return text;
      });
      safe.confirms(wantedOf('card_save', params), params);
      cards.domestic = { texts, savedMs: state.nowMs() };
      return ok('Successful operation');
    },
    '/user/cash_info_international': (request) => {
      state.member(request);
      const data = cards.international ? shown(cards.international.texts, 1) : [];
      return ok({ forms: FORMS, data, ...savedAt(cards.international) });
    },
    '/user/cash_save_international': (request) => {
      state.member(request);
      const { data = '[]' } = request.params;
      const texts = JSON.parse(data) as string[];
      safe.confirms(wantedOf('card_save', { data }), request.params);
      cards.international = { texts, savedMs: state.nowMs() };
      return ok('Successful operation');
    },
    '/user/cash_delete': (request) => {
      state.member(request);
      const kind = request.params.type === '2' ? 'international' : 'domestic';
      if (!cards[kind]) throw new Refusal(1003, 'Data not found');
      cards[kind] = null;
      return ok('Successful operation');
    },
  };
}
