/** Bank cards of the account: as the server shows them, saving by a confirmation, removing. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { command, fetchMessage } from '@/lib/api/client';
import { type Confirmation, quietSurety } from '@/lib/api/safe';
import {
  cardsDelete,
  cardsSave,
  cardsSaveInternational,
  cardsShow,
  cardsShowInternational,
} from '@/lib/api/schema/cardsCalls';
import { useLanguage } from '@/lib/i18n';
import { DOMESTIC, type Kind } from '../fields';

export const CARDS = ['bankCards'] as const;

export interface Card {
  /** What the server calls the fields; empty where the app does. */
  forms: readonly string[];
  /** As its user is shown it; empty without a card. */
  texts: readonly string[];
  savedAtMs: number;
}

async function shown(kind: Kind, signal: AbortSignal): Promise<Card> {
  if (kind === 'international') {
    const { forms, data, saved_at_ms } = await fetchMessage(cardsShowInternational, {}, signal);
    return { forms, texts: data, savedAtMs: saved_at_ms };
  }
  const card = await fetchMessage(cardsShow, {}, signal);
  const texts = card.saved_at_ms === 0 ? [] : DOMESTIC.map(({ name }) => card[name]);
  return { forms: [], texts, savedAtMs: card.saved_at_ms };
}

export function useCard(kind: Kind) {
  const language = useLanguage();
  return useQuery({
    // Names of the fields of one kind come in the language of the call.
    queryKey: [...CARDS, kind, kind === 'international' ? language : ''],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => shown(kind, signal),
    meta: { private: true },
  });
}

/** `wrong`: the place of the field that is; `spent`: what it was confirmed with is used up. */
export type Saved = { ok: true } | { ok: false; wrong: number | null; spent: boolean; why: string };

export async function saveCard(kind: Kind, texts: readonly string[], by: Confirmation): Promise<Saved> {
  const text = (at: number) => texts[at] ?? '';
  const data = JSON.stringify(texts);
  const fields = {
    real_name: text(0),
    bank_name: text(1),
    bank_account: text(2),
    bank_dizhi: text(3),
    alipay_account: text(4),
    wechat_nickname: text(5),
    wechat_account: text(6),
    bank_branch: text(7),
    phone: text(8),
  };
  const proved = await quietSurety({ action: 'card_save', ...(kind === 'international' ? { data } : fields) }, by);
  if ('why' in proved) return { ok: false, wrong: null, spent: false, why: proved.why };
  const reply =
    kind === 'international'
      ? await command(cardsSaveInternational, { data, ...proved.surety }, { quiet: true })
      : await command(cardsSave, { ...fields, ...proved.surety }, { quiet: true });
  if (reply.ok) return { ok: true };
  const names = Object.keys(reply.fields);
  const wrong =
    kind === 'international'
      ? Number(/^data\[(\d+)\]$/.exec(names[0] ?? '')?.[1] ?? -1)
      : DOMESTIC.findIndex(({ name }) => names.includes(name));
  return { ok: false, wrong: wrong < 0 ? null : wrong, spent: true, why: reply.text };
}

const TYPES = { domestic: 1, international: 2 } as const;

export const removeCard = async (kind: Kind): Promise<boolean> =>
  (await command(cardsDelete, { type: TYPES[kind] })).ok;
