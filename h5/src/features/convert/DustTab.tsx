import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Checkbox, CoinIcon, ConfirmDialog, Empty, ErrorState, SkeletonRows } from '@/components/ui';
import { tellOutcome } from '@/lib/api/tellOutcome';
import { addText, isZeroText } from '@/lib/decimalText';
import { formatAmount, formatMoment, formatPercent } from '@/lib/format';
import { useOnline } from '@/lib/online';
import { useBarred } from '@/lib/session';
import { BarredNotice } from '@/trading';
import { type ConversionDust, useConvertDust, useDust } from './api/dust';
import { useRenewal } from './api/exchange';
import css from './FlashExchangePage.module.css';

/** Balances too small to trade, which become one coin. */
export default function DustTab() {
  const { t } = useTranslation('convert');
  const { data, error, isPending, refetch } = useDust();
  return (
    <>
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={5} />}
      {data &&
        (data.rows.length > 0 ? (
          <Dust dust={data} />
        ) : (
          <Empty title={t('dust.none')} note={t('dust.rule', rule(data))} />
        ))}
    </>
  );
}

const rule = ({ limit, to_currency_name, fee }: ConversionDust) => ({
  limit: formatAmount(limit),
  coin: to_currency_name,
  fee: formatPercent(fee, 2),
});

function Dust({ dust }: { dust: ConversionDust }) {
  const { t } = useTranslation('convert');
  const { t: c } = useTranslation();
  const online = useOnline();
  const barred = useBarred('flash_exchange');
  const notice = useId();
  const renew = useRenewal();
  const { phase, send } = useConvertDust();
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [confirming, setConfirming] = useState(false);
  const { rows, next_at: nextMs, to_currency_name: coin } = dust;
  const chosen = rows.filter((row) => !left.has(row.currency_id));
  const total = chosen.reduce((sum, row) => addText(sum, row.to_number), '0');
  const waits = nextMs !== null && nextMs > Date.now();

  function toggle(id: number, taken: boolean) {
    const next = new Set(left);
    if (taken) next.delete(id);
    else next.add(id);
    setLeft(next);
  }

  async function convert() {
    const currency_ids = chosen.map((row) => row.currency_id).join();
    const outcome = await send({ currency_ids, version: dust.version }, t('dust.summary', { coin }));
    if (!outcome) return;
    setConfirming(false);
    tellOutcome(outcome, { done: t('dust.done', { coin }), notReceived: c('notReceived') });
    // Whatever became of it, the balances are read again: they are what counts.
    renew();
  }

  return (
    <div className={css.dust}>
      <BarredNotice product="flash_exchange" id={notice} />
      <p className={css.note}>{t('dust.rule', rule(dust))}</p>
      <Checkbox
        checked={chosen.length === rows.length}
        onChange={(all) => setLeft(new Set(all ? [] : rows.map((row) => row.currency_id)))}
      >
        {t('dust.all')}
      </Checkbox>
      <ul aria-label={t('tabs.dust')} className={css.balances}>
        {rows.map((row) => (
          <li key={row.currency_id} className={css.balance}>
            <Checkbox checked={!left.has(row.currency_id)} onChange={(taken) => toggle(row.currency_id, taken)}>
              <span className={css.small}>
                <CoinIcon name={row.currency_name} size={28} />
                <b>{row.currency_name}</b>
                <span className={`num ${css.becomes}`}>
                  <span>{formatAmount(row.number)}</span>
                  <small>
                    ≈ {formatAmount(row.to_number)} {coin}
                  </small>
                </span>
              </span>
            </Checkbox>
          </li>
        ))}
      </ul>
      <div className={css.gets}>
        <span>{t('gets')}</span>
        <output className="num">
          ≈ {formatAmount(total)}
          <small> {coin}</small>
        </output>
      </div>
      {waits && (
        <p role="status" className={css.renewed}>
          {t('dust.next', { time: formatMoment(nextMs) })}
        </p>
      )}
      <Button
        size="l"
        block
        loading={phase !== 'idle'}
        disabled={!online || waits || isZeroText(total) || barred}
        aria-describedby={barred ? notice : undefined}
        throttleMs={1000}
        onClick={() => setConfirming(true)}
      >
        {online ? t('dust.submit', { coin }) : c('error.offline')}
      </Button>
      <ConfirmDialog
        open={confirming && !barred}
        title={t('dust.confirm')}
        loading={phase !== 'idle'}
        onClose={() => setConfirming(false)}
        onConfirm={() => void convert()}
      >
        <p className={css.note}>
          {t('dust.confirmNote', { names: chosen.map((row) => row.currency_name).join(', ') })}
        </p>
        <p className={`num ${css.swapFigures}`}>
          <b>
            ≈ {formatAmount(total)} <small>{coin}</small>
          </b>
        </p>
      </ConfirmDialog>
    </div>
  );
}
