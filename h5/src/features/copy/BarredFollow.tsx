import { useEffect, useId } from 'react';
import { BarredNotice } from '@/trading';
import css from './FollowIndexPage.module.css';

interface Props {
  /** It is there: what the buttons that are off are described by. */
  onShown(id: string): void;
}

/** The notice above the traders: a part of its own, because hardly any reader needs it. */
export default function BarredFollow({ onShown }: Props) {
  const id = useId();
  useEffect(() => onShown(id), [id, onShown]);
  return <BarredNotice product="follow" id={id} className={css.barred} />;
}
