import clsx from 'clsx';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react';
import { CLICK_THROTTLE_MS, useThrottled } from '@/lib/throttle';
import css from './Button.module.css';
import { Spinner } from './Spinner';

export type ButtonTone = 'primary' | 'secondary' | 'ghost' | 'up' | 'down' | 'danger';

interface Look {
  tone?: ButtonTone;
  size?: 's' | 'm' | 'l';
  block?: boolean;
  icon?: ReactNode;
}

interface Props extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick'> {
  /** In flight: disabled, with a spinner; the label stays readable for screen readers. */
  loading?: boolean;
  throttleMs?: number;
  onClick?: (() => void) | undefined;
}

export function Button({
  tone = 'primary',
  size = 'm',
  block,
  loading = false,
  throttleMs = CLICK_THROTTLE_MS,
  icon,
  onClick,
  className,
  disabled,
  children,
  type = 'button',
  ...rest
}: Props) {
  const handle = useThrottled(onClick, throttleMs);
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || loading}
      aria-busy={loading || undefined}
      className={clsx(css.button, css[tone], css[size], block && css.block, className)}
      onClick={onClick ? () => handle() : undefined}
    >
      {loading ? <Spinner size={16} /> : icon}
      <span className={css.label}>{children}</span>
    </button>
  );
}

type LinkProps = Look & AnchorHTMLAttributes<HTMLAnchorElement>;

/** What leads to a file of the server looks like a button, and can be copied and saved like a link. */
export function ButtonLink({ tone = 'primary', size = 'm', block, icon, className, children, ...rest }: LinkProps) {
  return (
    <a {...rest} className={clsx(css.button, css[tone], css[size], block && css.block, className)}>
      {icon}
      <span className={css.label}>{children}</span>
    </a>
  );
}

interface IconProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label'> {
  /** Read by screen readers: an icon alone says nothing. */
  label: string;
}

export function IconButton({ label, className, type = 'button', ...rest }: IconProps) {
  return <button {...rest} type={type} aria-label={label} className={clsx(css.icon, className)} />;
}
