import clsx from 'clsx';
import { Eye, EyeOff } from 'lucide-react';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from './Button';
import css from './Input.module.css';

export interface InputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'prefix'> {
  label: string;
  /** Only for screen readers where the surroundings already say it. */
  hideLabel?: boolean;
  error?: string | undefined;
  hint?: ReactNode;
  prefix?: ReactNode;
  suffix?: ReactNode;
  ref?: Ref<HTMLInputElement>;
}

export function Input({ label, hideLabel, error, hint, prefix, suffix, className, id, ref, ...rest }: InputProps) {
  const own = useId();
  const inputId = id ?? own;
  const noteId = `${inputId}-note`;
  return (
    <div className={clsx(css.field, className)}>
      <label htmlFor={inputId} className={hideLabel ? 'sr-only' : css.label}>
        {label}
      </label>
      <div className={clsx(css.box, error && css.invalid)}>
        {prefix && <span className={css.prefix}>{prefix}</span>}
        <input
          {...rest}
          ref={ref}
          id={inputId}
          className={css.input}
          aria-invalid={error ? true : undefined}
          aria-describedby={error || hint ? noteId : undefined}
        />
        {suffix && <span className={css.suffix}>{suffix}</span>}
      </div>
      {(error || hint) && (
        <p id={noteId} className={error ? css.error : css.hint} role={error ? 'alert' : undefined}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string;
  error?: string | undefined;
  hint?: ReactNode;
}

/** Several lines of text. */
export function TextArea({ label, error, hint, ...rest }: TextAreaProps) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className={css.field}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      <div className={clsx(css.box, error && css.invalid)}>
        <textarea
          {...rest}
          id={id}
          className={clsx(css.input, css.area)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error || hint ? noteId : undefined}
        />
      </div>
      {(error || hint) && (
        <p id={noteId} className={error ? css.error : css.hint} role={error ? 'alert' : undefined}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

export function PasswordInput(props: Omit<InputProps, 'type' | 'suffix'>) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  return (
    <Input
      {...props}
      type={shown ? 'text' : 'password'}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      suffix={
        <IconButton
          label={t(shown ? 'input.hidePassword' : 'input.showPassword')}
          aria-pressed={shown}
          className={css.eye}
          onClick={() => setShown(!shown)}
        >
          {shown ? <Eye size={18} /> : <EyeOff size={18} />}
        </IconButton>
      }
    />
  );
}

/** Seconds between two codes as the interface counts them (the server allows 60). */
export const RESEND_SECONDS = 120;

interface CodeProps extends Omit<InputProps, 'type' | 'suffix' | 'maxLength' | 'inputMode'> {
  /** Sends a code; resolves true when it is on its way, which starts the countdown. */
  onSend(): Promise<boolean>;
}

export function CodeInput({ onSend, ...rest }: CodeProps) {
  const { t } = useTranslation();
  const [untilMs, setUntilMs] = useState(0);
  const [left, setLeft] = useState(0);
  const [sending, setSending] = useState(false);

  useEffect(() => {
    if (!untilMs) return;
    const tick = () => setLeft(Math.max(0, Math.ceil((untilMs - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [untilMs]);

  async function send() {
    setSending(true);
    const sent = await onSend();
    setSending(false);
    if (sent) setUntilMs(Date.now() + RESEND_SECONDS * 1000);
  }

  return (
    <Input
      {...rest}
      type="text"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={6}
      suffix={
        <Button
          tone="ghost"
          size="s"
          className={css.send}
          disabled={left > 0 || sending}
          throttleMs={1000}
          onClick={() => void send()}
        >
          {left > 0 ? t('input.resendIn', { seconds: left }) : t('input.sendCode')}
        </Button>
      }
    />
  );
}
