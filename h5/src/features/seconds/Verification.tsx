/** The reader's own check of a result: each step with its verdict, and the file to check elsewhere. */
import type { TFunction } from 'i18next';
import { Check, CircleHelp, Clock3, Download, FileCheck, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ErrorState, Spinner } from '@/components/ui';
import { type Decimal, plain } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import type { Option } from './api/options';
import { type SecondsProof, useProof } from './api/proof';
import type { Outcome } from './state';
import css from './Verification.module.css';
import type { Shown, Step } from './verify';

interface Props {
  option: Option;
  outcome: Outcome;
  paid: Decimal;
}

const SIGNS = { passed: Check, failed: X, open: Clock3, unable: CircleHelp } as const;
/** Of a key: enough to compare it by eye. */
const KEY_DIGITS = 16;

const shownOf = ({ option, outcome, paid }: Props): Shown => ({
  id: String(option.id),
  side: option.type === 1 ? 'rise' : 'fall',
  stake: option.number,
  byCoupon: option.coupon !== null,
  ratio: option.profit_ratio,
  fee: option.fee,
  openPrice: option.open_price,
  openTick: option.open_tick,
  endPrice: option.end_price,
  closeTick: option.close_tick,
  outcome,
  paid: plain(paid),
});

type Checked = 'insecure' | { steps: Step[]; holds: boolean };

async function check(proof: SecondsProof, shown: Shown): Promise<Checked> {
  const { canVerify, holds, verify } = await import('./verify');
  if (!canVerify()) return 'insecure';
  const steps = await verify(proof, shown);
  return { steps, holds: holds(steps) };
}

export function Verification(props: Props) {
  const { t } = useTranslation('seconds');
  const { option } = props;
  const [wanted, setWanted] = useState<'check' | 'file' | undefined>();
  const { data: proof, error, isFetching, refetch } = useProof(option.id, wanted !== undefined);
  const checked = useChecked(wanted === 'check' ? proof : undefined, props);

  function download() {
    if (proof) save(proof);
    else setWanted('file');
  }

  // Asked for by the button of the file, and here now.
  useEffect(() => {
    if (wanted !== 'file' || !proof) return;
    save(proof);
    setWanted(undefined);
  }, [wanted, proof]);

  return (
    <section className={css.proof} aria-labelledby="proof-title">
      <h3 id="proof-title">
        <FileCheck size={18} aria-hidden="true" />
        {t('verify.title')}
      </h3>
      <p className={css.note}>{t('verify.note')}</p>
      {Boolean(error) && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {checked === 'insecure' && (
        <p role="status" className={css.insecure}>
          {t('verify.insecure')}
        </p>
      )}
      <div aria-live="polite">
        {checked && checked !== 'insecure' && (
          <>
            <p className={css.verdict} data-holds={checked.holds}>
              {t(checked.holds ? 'verify.holds' : 'verify.fails')}
            </p>
            <ol className={css.steps} aria-label={t('verify.steps')}>
              {checked.steps.map((step) => (
                <StepRow key={step.name} step={step} asset={option.currency_name} />
              ))}
            </ol>
          </>
        )}
      </div>
      <div className={css.actions}>
        <Button
          tone="secondary"
          icon={isFetching && <Spinner size={16} />}
          disabled={isFetching}
          onClick={() => {
            if (wanted === 'check') void refetch();
            setWanted('check');
          }}
        >
          {t(checked ? 'verify.again' : 'verify.run')}
        </Button>
        <Button tone="secondary" icon={<Download size={16} aria-hidden="true" />} onClick={download}>
          {t('verify.download')}
        </Button>
      </div>
    </section>
  );
}

/** What the check of a proof says; undefined while there is none, or it is on its way. */
function useChecked(proof: SecondsProof | undefined, props: Props): Checked | undefined {
  const [done, setDone] = useState<{ proof: SecondsProof; checked: Checked }>();
  const shown = JSON.stringify(shownOf(props));
  useEffect(() => {
    if (!proof) return;
    let current = true;
    void check(proof, JSON.parse(shown)).then((checked) => current && setDone({ proof, checked }));
    return () => {
      current = false;
    };
  }, [proof, shown]);
  return proof && done?.proof === proof ? done.checked : undefined;
}

function StepRow({ step, asset }: { step: Step; asset: string }) {
  const { t } = useTranslation('seconds');
  const { verdict } = step;
  const Sign = SIGNS[verdict];
  const aloud = verdict === 'unable' || verdict === 'failed';
  return (
    <li data-verdict={verdict}>
      <Sign size={16} strokeWidth={2.6} aria-hidden="true" />
      <span>
        {stepText(step, asset, t)} <span className={aloud ? css.said : 'sr-only'}>{t(`verify.${verdict}`)}</span>
      </span>
    </li>
  );
}

function stepText({ name, verdict, found }: Step, asset: string, t: TFunction<'seconds'>): string {
  switch (name) {
    case 'chain':
      return verdict === 'failed' && found.tick ? t('verify.step.chainBroken', found) : t('verify.step.chain', found);
    case 'deciding':
      return found.tick ? t('verify.step.deciding', found) : t('verify.step.decidingNone');
    case 'complete':
      return verdict === 'open' ? t('verify.step.completeSilent') : t('verify.step.complete', found);
    case 'outcome':
      return t('verify.step.outcome', { outcome: found.outcome ? t(`outcome.${found.outcome as Outcome}`) : '--' });
    case 'paid':
      return t('verify.step.paid', { amount: `${formatAmount(found.amount ?? '0')} ${asset}` });
    case 'root':
      return verdict === 'open'
        ? t('verify.step.rootOpen')
        : t('verify.step.root', { ...found, key: `${String(found.key ?? '').slice(0, KEY_DIGITS)}…` });
    default:
      return t(`verify.step.${name}`, found);
  }
}

/** To the device, as it was told: any other verifier reads the same file. */
function save(proof: SecondsProof): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(proof, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `option-${proof.order.id}.json`;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
