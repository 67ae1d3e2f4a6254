import clsx from 'clsx';
import { Globe } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import { type Product, useBarred, useCountryState } from '@/lib/session';
import css from './BarredNotice.module.css';

interface Props {
  product: Product;
  /** What the button that is off is described by. */
  id: string;
  className?: string | undefined;
}

const TEXTS = {
  spot: 'barred.buying',
  stocks: 'barred.buying',
  contract: 'barred.contract',
  options: 'barred.options',
  flash_exchange: 'barred.flash',
  follow: 'barred.follow',
} as const satisfies Record<Product, string>;

/** Without a country: why, and where it is told. */
const WAYS = {
  unverified: { why: 'barred.unknown', way: 'barred.verify', path: PATHS.realMark },
  unnamed: { why: 'barred.unnamed', way: 'barred.service', path: PATHS.contactus },
} as const;

/** That a product is not offered in the account's country, and what is possible nevertheless; nothing where it is offered. */
export function BarredNotice({ product, id, className }: Props) {
  const { t } = useTranslation();
  const barred = useBarred(product);
  const country = useCountryState();
  if (!barred) return null;
  const lacking = country === 'known' ? undefined : WAYS[country];
  return (
    <div className={clsx(css.notice, className)}>
      <Globe size={16} aria-hidden="true" />
      <p id={id} role="status">
        {t(lacking ? lacking.why : TEXTS[product])}
      </p>
      {lacking && (
        <button type="button" className={css.way} onClick={() => navigateTo(lacking.path)}>
          {t(lacking.way)}
        </button>
      )}
    </div>
  );
}
