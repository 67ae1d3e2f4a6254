import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '@/components/ui';
import css from './AuthenticatorPage.module.css';

interface FormProps {
  submit: string;
  /** Sends what was entered. */
  onSubmit(): Promise<void>;
  children: ReactNode;
}

/** A form that sends once at a time. */
export function AuthenticatorForm({ submit, onSubmit, children }: FormProps) {
  const [sending, setSending] = useState(false);
  async function send(event: FormEvent) {
    event.preventDefault();
    setSending(true);
    await onSubmit();
    setSending(false);
  }
  return (
    <form className={css.body} noValidate onSubmit={(event) => void send(event)}>
      {children}
      <Button type="submit" size="l" block loading={sending} throttleMs={1000}>
        {submit}
      </Button>
    </form>
  );
}
