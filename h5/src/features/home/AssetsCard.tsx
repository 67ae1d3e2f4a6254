import { ArrowLeftRight, Eye, EyeOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useWallets } from '@/lib/api/wallets';
import { useFiat } from '@/lib/fiat';
import { formatPrice } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { HIDDEN, useHideBalances } from '@/lib/preferences';
import css from './AssetsCard.module.css';

/** What a member owns in all; what a guest can do first. */
export function AssetsCard({ member }: { member: boolean }) {
  return member ? <Owned /> : <Welcome />;
}

function Owned() {
  const { t } = useTranslation('home');
  const { t: c } = useTranslation();
  const { wallets, isError } = useWallets();
  const [hidden, toggle] = useHideBalances();
  const fiat = useFiat();
  return (
    <section className={css.card} aria-label={t('assets.total')}>
      <div className={css.head}>
        <span>{t('assets.total')}</span>
        <IconButton label={c(hidden ? 'showBalances' : 'hideBalances')} className={css.eye} onClick={toggle}>
          {hidden ? <EyeOff size={16} /> : <Eye size={16} />}
        </IconButton>
      </div>
      <div className={css.row}>
        <div className={css.figures}>
          <p className={`num ${css.total}`}>
            {wallets ? (
              hidden ? (
                HIDDEN
              ) : (
                formatPrice(wallets.worth, 2)
              )
            ) : isError ? (
              '--'
            ) : (
              <Skeleton width={170} height={30} />
            )}
            {wallets && !hidden && <small> USDT</small>}
          </p>
          <p className={`num ${css.fiat}`}>{wallets && !hidden ? fiat.approx(wallets.worth) : '\u00a0'}</p>
        </div>
        <Button icon={<ArrowLeftRight size={16} />} onClick={() => navigateTo(PATHS.transfer)}>
          {t('assets.transfer')}
        </Button>
      </div>
    </section>
  );
}

function Welcome() {
  const { t } = useTranslation('home');
  return (
    <section className={css.welcome}>
      <h2 className={css.claim}>{t('welcome.title')}</h2>
      <p className={css.lead}>{t('welcome.lead')}</p>
      <div className={css.actions}>
        <Button size="l" className={css.grow} onClick={() => navigateTo(PATHS.register)}>
          {t('welcome.signUp')}
        </Button>
        <Button size="l" tone="secondary" onClick={() => navigateTo(PATHS.login)}>
          {t('welcome.logIn')}
        </Button>
      </div>
    </section>
  );
}
