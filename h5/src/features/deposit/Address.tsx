import { Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/components/ui';
import { copyText } from '@/lib/clipboard';
import { partsOf, shortened } from './coins';
import css from './Deposit.module.css';

/** An address as a text, with the letters marked that are to be compared. */
export function Address({ text }: { text: string }) {
  const [first, middle, last] = partsOf(text);
  // One text without spaces: it may be selected and copied by hand.
  return (
    <code className={css.address}>
      <b>{first}</b>
      {middle}
      <b>{last}</b>
    </code>
  );
}

/** A transaction's name, which is copied rather than read. */
export function Txid({ txid }: { txid: string }) {
  const { t } = useTranslation('deposit');
  return (
    <span className={css.txid}>
      <code title={txid}>{shortened(txid)}</code>
      <IconButton label={t('copyTxid', { txid: shortened(txid) })} onClick={() => void copyText(txid)}>
        <Copy size={15} />
      </IconButton>
    </span>
  );
}
