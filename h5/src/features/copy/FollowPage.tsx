/** How much of a trader's trades is copied: the choice, what a copy would cost in money, the share, the agreement. */
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Avatar, Button, Checkbox, Empty, ErrorState, NavBar, SkeletonRows, Stepper, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { BusinessError } from '@/lib/api/errors';
import { formatAmount } from '@/lib/format';
import { useLanguage } from '@/lib/i18n';
import { hrefOf, redirectTo } from '@/lib/navigation';
import { useBarred } from '@/lib/session';
import { toast } from '@/lib/toast';
import { BarredNotice } from '@/trading';
import { useFollowing } from './api/follow';
import { type FollowDetail, useTrader } from './api/traders';
import { Example } from './Example';
import css from './FollowPage.module.css';
import { type Mode, numberProblem, stepped, typedNumber } from './numbers';

export default function FollowPage() {
  const { t } = useTranslation('copy');
  const [params] = useSearchParams();
  const id = Number(params.get('uid')) || 0;
  const { data, error, refetch } = useTrader(id);
  const gone =
    id <= 0 || (error instanceof BusinessError && !data) || (data?.trader_info.is_trader === 0 && !data.is_followed);
  const title = data
    ? t(data.is_followed ? 'follow.editTitle' : 'follow.title', { trader: data.trader_info.nickname })
    : t('title');
  return (
    <>
      <NavBar title={title} />
      {gone ? (
        <Empty
          title={t(data ? 'trader.left' : 'trader.unknown')}
          action={{ label: t('trader.toList'), onClick: () => redirectTo(PATHS.followIndex) }}
        />
      ) : (
        <>
          {error && <ErrorState compact={Boolean(data)} error={error} onRetry={() => void refetch()} />}
          {!data && !error && <SkeletonRows rows={7} icon={false} />}
          {data && <Form key={`${id} ${data.is_followed}`} detail={data} />}
        </>
      )}
    </>
  );
}

/** Where each choice starts. */
const FIRST: Record<Mode, string> = { 1: '1', 2: '1' };

function Form({ detail }: { detail: FollowDetail }) {
  const { t } = useTranslation('copy');
  const language = useLanguage();
  const barred = useBarred('follow');
  const notice = useId();
  const { busy, follow } = useFollowing();
  const { trader_info: trader, is_followed: editing } = detail;
  const [mode, setMode] = useState<Mode>(detail.follow?.type ?? 1);
  const [numbers, setNumbers] = useState(() => ({ ...FIRST, ...(detail.follow && { [mode]: detail.follow.number }) }));
  // Who follows has agreed before.
  const [agreed, setAgreed] = useState(editing);
  const [tried, setTried] = useState(false);
  const text = numbers[mode];
  const number = typedNumber(text);
  const problem = numberProblem(mode, text);
  const change = (next: string) => setNumbers({ ...numbers, [mode]: next });
  const agreement = language === 'zh' || language === 'hk' ? PATHS.followAgreementZh : PATHS.followAgreementEn;
  const ratio = formatAmount(detail.share_ratio);

  async function submit() {
    setTried(true);
    if (barred || problem || number === undefined || !agreed) return;
    if (!(await follow({ trader_user_id: trader.id, number, type: mode }))) return;
    toast.success(editing ? t('follow.saved') : t('follow.done', { trader: trader.nickname }));
    redirectTo(PATHS.followTrader, { uid: trader.id });
  }

  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <BarredNotice product="follow" id={notice} />
      <div className={css.who}>
        <Avatar src={trader.head_portrait || undefined} name={trader.nickname} size={40} />
        <b>{trader.nickname}</b>
      </div>
      <div className={css.part}>
        <Tabs
          look="segment"
          label={t('follow.mode')}
          controls="copied"
          items={[
            { value: '1', label: t('follow.multiple') },
            { value: '2', label: t('follow.lots') },
          ]}
          value={mode === 1 ? '1' : '2'}
          onChange={(value) => setMode(value === '1' ? 1 : 2)}
        />
        <div id="copied" className={css.part}>
          <Stepper
            label={t(mode === 1 ? 'follow.multipleNumber' : 'follow.lotsNumber')}
            value={text}
            error={tried || text !== '' ? problem && t(`follow.${problem}`) : undefined}
            onChange={change}
            onStep={(direction) => change(stepped(mode, text, direction))}
          />
          <p className={css.note}>{t(mode === 1 ? 'follow.multipleNote' : 'follow.lotsNote')}</p>
        </div>
      </div>
      <Example trader={trader.id} mode={mode} number={problem ? undefined : number} ratio={detail.share_ratio} />
      <section className={css.share}>
        {Number(detail.share_ratio) > 0 ? (
          <>
            <h2>{t('follow.shareTitle', { ratio })}</h2>
            <ul>
              <li>{t('follow.shareWithheld', { ratio })}</li>
              <li>{t('follow.shareMark')}</li>
              <li>{t('follow.shareLoss')}</li>
            </ul>
          </>
        ) : (
          <p>{t('follow.noShare')}</p>
        )}
      </section>
      <div>
        <Checkbox checked={agreed} invalid={tried && !agreed} onChange={setAgreed}>
          {t('follow.agreeLead')} <a href={`#${hrefOf(agreement)}`}>{t('agreement')}</a> {t('follow.agreeEnd')}
        </Checkbox>
        {tried && !agreed && (
          <p role="alert" className={css.problem}>
            {t('follow.agreeMissing')}
          </p>
        )}
      </div>
      {editing && <p className={css.note}>{t('follow.later')}</p>}
      <div className={css.send}>
        <Button
          type="submit"
          block
          size="l"
          loading={busy}
          disabled={barred}
          aria-describedby={barred ? notice : undefined}
        >
          {t(editing ? 'follow.save' : 'follow.confirm')}
        </Button>
      </div>
    </form>
  );
}
