/** What the exchange holds on chains, by its own signed word: the newest statement of each chain, older ones, and how to check. */
import { ChevronDown, Scale } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Copied, Empty, ErrorState, ListItem, NavBar, PullRefresh, Sheet, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { ReserveStatement } from '@/lib/api/schema/reservesCalls';
import { formatAmount, formatMoment, grouped } from '@/lib/format';
import { relaunch } from '@/lib/navigation';
import { type ChainReserves, useReserves } from './api/reserves';
import css from './ReservesPage.module.css';
import { amountCommands, STANDARDS, signaturesCommand, signedMessage } from './reserveChecks';
import { Statement } from './Statement';

export default function ReservesPage() {
  const { t } = useTranslation('reserves');
  const { t: c } = useTranslation();
  const { t: s } = useTranslation('setting');
  const { data, error, isPending, refetch } = useReserves();
  return (
    <>
      <NavBar title={c('reserves')} />
      <PullRefresh onRefresh={refetch}>
        <p className={css.lead}>{t('lead')}</p>
        <p className={css.limits}>
          <Scale size={16} aria-hidden="true" />
          {t('limits')}
        </p>
        {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
        {isPending && <SkeletonRows rows={4} />}
        {data?.length === 0 && (
          <Empty
            title={t('none')}
            note={t('noneNote')}
            action={{ label: s('article.home'), onClick: () => relaunch(PATHS.home) }}
          />
        )}
        {data?.map((chain) => (
          <Chain key={chain.key} chain={chain} />
        ))}
        {data && data.length > 0 && <Checks statements={data.map(({ newest }) => newest)} />}
      </PullRefresh>
    </>
  );
}

function Chain({ chain: { newest, older } }: { chain: ChainReserves }) {
  const { t } = useTranslation('reserves');
  return (
    <section className={css.card} aria-label={t('statement', { chain: newest.name })}>
      <h2 className={css.heading}>{newest.name}</h2>
      <Statement statement={newest} />
      {older.length > 0 && (
        <Fold
          title={
            <>
              {t('older')} <span className="num">{older.length}</span>
            </>
          }
        >
          <Older statements={older} />
        </Fold>
      )}
    </section>
  );
}

function Older({ statements }: { statements: readonly ReserveStatement[] }) {
  const { t } = useTranslation('reserves');
  const [shown, setShown] = useState<ReserveStatement>();
  const [open, setOpen] = useState(false);
  return (
    <>
      <ul className={css.rows} aria-label={t('older')}>
        {statements.map((row) => (
          <ListItem
            key={row.id}
            title={<span className="num">{formatMoment(row.time_ms)}</span>}
            note={
              <span className={`num ${css.amounts}`}>
                {row.assets.map((asset) => (
                  <span key={asset.contract ?? asset.currency_name}>
                    {formatAmount(asset.held)} {asset.currency_name}
                  </span>
                ))}
              </span>
            }
            value={<span className="num">{`${t('block')} ${grouped(String(row.height))}`}</span>}
            onClick={() => {
              setShown(row);
              setOpen(true);
            }}
          />
        ))}
      </ul>
      {shown && (
        <Sheet open={open} onClose={() => setOpen(false)} title={t('statement', { chain: shown.name })}>
          <Statement statement={shown} />
        </Sheet>
      )}
    </>
  );
}

function Checks({ statements }: { statements: readonly ReserveStatement[] }) {
  const { t } = useTranslation('reserves');
  const kinds = new Set(statements.map(({ chain }) => chain));
  const hasTokens = statements.some(({ assets }) => assets.some(({ contract }) => contract !== null));
  const standards = Array.from(kinds, (kind) => STANDARDS[kind]).join(' / ');
  return (
    <div className={css.card}>
      <Fold title={t('how')}>
        <ol className={css.steps}>
          <Step number={1} text={t('step.file')} />
          <Step number={2} text={t('step.signatures', { standards })}>
            {statements.map((statement) => (
              <Copied key={statement.id} look="block" label={statement.name} text={signaturesCommand(statement)} />
            ))}
            {statements.map((statement) => (
              <Copied
                key={`${statement.id} message`}
                look="block"
                label={`${statement.name} · ${STANDARDS[statement.chain]}`}
                text={signedMessage(statement)}
              />
            ))}
          </Step>
          <Step number={3} text={t('step.amounts')}>
            {statements.flatMap((statement) =>
              amountCommands(statement).map(({ asset, text }) => (
                <Copied
                  key={`${statement.id} ${text}`}
                  look="block"
                  label={`${statement.name} · ${asset}`}
                  text={text}
                />
              )),
            )}
            {kinds.has('bitcoin') && (
              <p className={css.note}>
                <b>Bitcoin</b> {t('bitcoinNote')}
              </p>
            )}
            {kinds.has('evm') && (
              <p className={css.note}>
                <b>EVM</b> {t('evmNote')} {hasTokens && t('tokenNote')}
              </p>
            )}
          </Step>
        </ol>
      </Fold>
    </div>
  );
}

function Step({ number, text, children }: { number: number; text: string; children?: ReactNode }) {
  return (
    <li>
      <span className={css.step} aria-hidden="true">
        {number}
      </span>
      <p>{text}</p>
      {children && <div className={css.commands}>{children}</div>}
    </li>
  );
}

/** What is shown when it is asked for. */
function Fold({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <details className={css.fold}>
      <summary>
        <span>{title}</span>
        <ChevronDown size={18} aria-hidden="true" />
      </summary>
      {children}
    </details>
  );
}
