/**
 * Owns: the order form of a contract's book. Never does: send; the sheet that shows the server's preview does.
 * Known limits: an order waits for no price.
 */
import { ChevronDown } from 'lucide-react';
import { type Ref, useId, useImperativeHandle, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, PercentChips, Select, Stepper, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { Decimal, fixed } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import { useBarred, useToken } from '@/lib/session';
import { BarredNotice, SideSwitch, SubmitButton, TransferButton, typed } from '@/trading';
import type { BookRules } from '../api/book';
import css from '../ContractTicket.module.css';
import { useContractGate } from '../gate';
import { EMPTY_PRO, missing, orderFields, type ProDraft, stepAmount, stepPrice, TIFS, type Tif } from './draft';
import { mostAmount } from './numbers';
import { OrderSheet } from './OrderSheet';
import { TermsSheet } from './TermsSheet';

export interface ProHandle {
  /** A level of the book was tapped. */
  level(price: number): void;
}

interface Props {
  rules: BookRules;
  /** undefined while the account has not told, and of a guest. */
  available: string | undefined;
  /** There is a position or an order: multiple and mode stay. */
  traded: boolean;
  handle: Ref<ProHandle>;
}

export function ProTicket({ rules, available, traded, handle }: Props) {
  const { t } = useTranslation(['contract', 'trade']);
  const token = useToken();
  const barred = useBarred('contract');
  const notice = useId();
  const { gate, face } = useContractGate(rules.symbol, rules.staleAfterMs);
  const [draft, setDraft] = useState<ProDraft>(EMPTY_PRO);
  const [percent, setPercent] = useState<number | undefined>();
  const [shown, setShown] = useState<'terms' | 'preview' | undefined>();
  const [tried, setTried] = useState(false);
  const change = (part: Partial<ProDraft>) => setDraft((now) => ({ ...now, ...part }));
  useImperativeHandle(handle, () => ({
    level: (price) => change({ kind: 'limit', price: fixed(new Decimal(price), rules.priceDecimals) }),
  }));
  const mark = face?.mark ? new Decimal(face.mark) : undefined;
  // What a limit is worth before it is typed is told by the mark.
  const price = (draft.kind === 'limit' ? typed(draft.price) : undefined) ?? mark;
  const amount = typed(draft.amount);
  const most = price && available ? mostAmount(new Decimal(available), price, rules) : undefined;
  const value = price && amount ? price.times(amount) : undefined;
  const lacks = missing(draft, rules);
  const isStep = lacks === 'priceStep' || lacks === 'amountStep';
  const fault = (field: 'price' | 'amount') =>
    lacks?.startsWith(field) && (tried || isStep)
      ? t(`pro.problem.${lacks}`, { step: formatAmount(field === 'price' ? rules.tick : rules.lot) })
      : undefined;
  const buys = draft.side === 'buy';
  // What only reduces a position is possible in every country.
  const isBarred = barred && !draft.reduceOnly;

  function submit() {
    setTried(true);
    if (!lacks) setShown('preview');
  }

  return (
    <section className={css.ticket} aria-label={t('pro.form', { pair: rules.symbol })}>
      <BarredNotice product="contract" id={notice} />
      <SideSwitch
        label={t('form.direction')}
        names={{ buy: t('pro.buy'), sell: t('pro.sell') }}
        side={draft.side}
        onChange={(side) => change({ side })}
      />
      <div className={css.row}>
        <button
          type="button"
          className={css.mode}
          aria-haspopup="dialog"
          disabled={!token}
          aria-label={t('pro.termsAre', { mode: t(`form.${rules.mode}`), multiple: rules.multiple })}
          onClick={() => setShown('terms')}
        >
          {t(`form.${rules.mode}`)} {rules.multiple}×
          <ChevronDown size={14} aria-hidden="true" />
        </button>
        <Tabs<ProDraft['kind']>
          look="segment"
          label={t('trade:ticket.type')}
          className={css.kind}
          value={draft.kind}
          onChange={(kind) => change({ kind })}
          items={(['limit', 'market'] as const).map((kind) => ({ value: kind, label: t(`trade:ticket.${kind}`) }))}
        />
      </div>
      {draft.kind === 'limit' && (
        <Stepper
          label={`${t('pro.price')} (${rules.settle})`}
          value={draft.price}
          error={fault('price')}
          onChange={(text) => change({ price: text })}
          onStep={(way) => change({ price: stepPrice(draft.price, way, mark, rules) })}
        />
      )}
      <div className={css.lots}>
        <Stepper
          label={`${t('pro.amount')} (${rules.base})`}
          value={draft.amount}
          error={fault('amount')}
          onChange={(text) => {
            setPercent(undefined);
            change({ amount: text });
          }}
          onStep={(way) => {
            setPercent(undefined);
            change({ amount: stepAmount(draft.amount, way, rules) });
          }}
        />
        <p className={`num ${css.size}`}>
          {value
            ? `≈ ${formatAmount(value, 2)} ${rules.settle}`
            : t('form.lotsAre', { lot: formatAmount(rules.lot), asset: rules.base })}
        </p>
      </div>
      <PercentChips
        label={t('pro.share')}
        {...(percent === undefined ? {} : { value: percent })}
        disabled={!most?.gt(0)}
        onChange={(share) => {
          setPercent(share);
          const part = most?.times(share).div(100).div(rules.lot).floor().times(rules.lot);
          change({ amount: part?.gt(0) ? fixed(part, rules.amountDecimals) : '' });
        }}
      />
      <div className={css.stops}>
        <Checkbox checked={draft.reduceOnly} onChange={(reduceOnly) => change({ reduceOnly })}>
          {t('pro.reduceOnly')}
        </Checkbox>
        {draft.kind === 'limit' && (
          <Select<Tif>
            look="inline"
            hideLabel
            label={t('pro.tif')}
            value={draft.tif}
            options={TIFS.map((tif) => ({ value: tif, label: t(`pro.${tif}`) }))}
            onChange={(tif) => change({ tif })}
          />
        )}
      </div>
      <dl className={css.facts}>
        <div>
          <dt>{t('trade:ticket.available')}</dt>
          <dd className="num">
            {available ? formatAmount(available, 4) : '--'} {rules.settle}
            <TransferButton label={t('form.transfer')} currency={rules.legalId} to="lever" />
          </dd>
        </div>
        <div>
          <dt>{t('pro.most')}</dt>
          <dd className="num">
            {most ? formatAmount(most) : '--'} {rules.base}
          </dd>
        </div>
      </dl>
      <SubmitButton
        label={t(buys ? 'pro.buy' : 'pro.sell')}
        loginLabel={t('form.login')}
        buys={buys}
        gate={gate}
        className={css.submit}
        noticeId={isBarred ? notice : undefined}
        page={PATHS.contract}
        query={{ symbol: rules.symbol, view: 'pro' }}
        onSubmit={submit}
      />
      <TermsSheet open={shown === 'terms'} rules={rules} fixed={traded} onClose={() => setShown(undefined)} />
      <OrderSheet
        open={shown === 'preview' && !isBarred}
        rules={rules}
        fields={shown === 'preview' ? orderFields(draft, rules) : undefined}
        live={gate === 'open'}
        onClose={() => setShown(undefined)}
        onSent={() => {
          setShown(undefined);
          setTried(false);
          setPercent(undefined);
          change({ amount: '' });
        }}
      />
    </section>
  );
}
