import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { PATHS, type Path } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { gateText, isShut, type MarketGate } from './gates';

interface Props {
  label: string;
  /** What a guest is asked to do. */
  loginLabel: string;
  buys: boolean;
  gate: MarketGate;
  className?: string | undefined;
  /** Of what is told of the country that bars it. */
  noticeId?: string | undefined;
  /** The page with its query, where a guest comes back to after logging in. */
  page: Path;
  query: Record<string, string>;
  onSubmit(): void;
}

/** Asks for the preview; says why not while the market takes nothing, and sends a guest to the log-in. */
export function SubmitButton({ label, loginLabel, buys, gate, className, noticeId, page, query, onSubmit }: Props) {
  const { t } = useTranslation(['trade', 'stock']);
  const shut = isShut(gate) ? gate : undefined;
  if (!useToken()) {
    const redirect = `${page}?${new URLSearchParams(query)}`;
    return (
      <Button block className={className} onClick={() => navigateTo(PATHS.login, { redirect })}>
        {loginLabel}
      </Button>
    );
  }
  return (
    <Button
      block
      className={className}
      tone={buys ? 'up' : 'down'}
      disabled={shut !== undefined || noticeId !== undefined}
      aria-describedby={noticeId}
      throttleMs={1000}
      onClick={onSubmit}
    >
      {shut ? gateText(shut, t) : label}
    </Button>
  );
}
