import clsx from 'clsx';
import { X } from 'lucide-react';
import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from './Button';
import css from './Overlay.module.css';

interface OverlayProps {
  open: boolean;
  onClose(): void;
  title: string;
  /** The title is only read out, not shown. */
  hideTitle?: boolean;
  children: ReactNode;
  footer?: ReactNode;
  /** Where it comes from: the bottom edge (sheet), the top or left edge, or the middle. */
  from?: 'bottom' | 'top' | 'left' | 'center';
  className?: string | undefined;
}

const reducedMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;
const CLOSE_MS = 250;

/**
 * A modal on the native dialog element: focus stays inside, Escape and the backdrop close it. It lies in the body: a
 * dialog that moves with its page leaves the top layer.
 */
function Overlay({ open, onClose, title, hideTitle, children, footer, from = 'bottom', className }: OverlayProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const [mounted, setMounted] = useState(open);
  const closing = mounted && !open;
  if (open && !mounted) setMounted(true);

  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open) {
      if (dialog.open) return;
      dialog.showModal();
      // The dialog itself, which is read out by its title; the browser would mark its first button.
      dialog.focus();
      return;
    }
    const timer = setTimeout(
      () => {
        dialog.close();
        setMounted(false);
      },
      reducedMotion() ? 0 : CLOSE_MS,
    );
    return () => clearTimeout(timer);
  }, [open]);

  if (!mounted) return null;
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape, the keyboard's way out, arrives as the cancel event.
    <dialog
      ref={ref}
      tabIndex={-1}
      aria-labelledby={titleId}
      className={clsx(css.overlay, css[from], className)}
      data-closing={closing || undefined}
      onCancel={(event: SyntheticEvent) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div className={css.panel}>
        {/* No header and no footer: outside of the page's main part these would be landmarks of the whole document. */}
        <div className={clsx(css.header, hideTitle && css.bare)}>
          <h2 id={titleId} className={hideTitle ? 'sr-only' : css.title}>
            {title}
          </h2>
          <IconButton label={t('close')} className={css.close} onClick={onClose}>
            <X size={20} />
          </IconButton>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within the keyboard's reach, and it may hold nothing else that is. */}
        <div className={css.body} tabIndex={0}>
          {children}
        </div>
        {footer && <div className={css.footer}>{footer}</div>}
      </div>
    </dialog>,
    document.body,
  );
}

export function Sheet(props: Omit<OverlayProps, 'from'> & { from?: 'bottom' | 'top' }) {
  return <Overlay {...props} />;
}

/** A panel over the page's left side. */
export function Drawer(props: Omit<OverlayProps, 'from'>) {
  return <Overlay {...props} from="left" />;
}

export function Dialog(props: Omit<OverlayProps, 'from'>) {
  return <Overlay {...props} from="center" />;
}

interface ConfirmProps {
  open: boolean;
  title: string;
  children?: ReactNode;
  confirmText?: string;
  cancelText?: string;
  tone?: 'primary' | 'danger' | 'up' | 'down';
  loading?: boolean;
  onConfirm(): void;
  onClose(): void;
}

export function ConfirmDialog(props: ConfirmProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      open={props.open}
      onClose={props.onClose}
      title={props.title}
      footer={
        <>
          <Button tone="secondary" block onClick={props.onClose}>
            {props.cancelText ?? t('cancel')}
          </Button>
          <Button
            tone={props.tone ?? 'primary'}
            block
            loading={props.loading ?? false}
            throttleMs={1000}
            onClick={props.onConfirm}
          >
            {props.confirmText ?? t('confirm')}
          </Button>
        </>
      }
    >
      {props.children}
    </Dialog>
  );
}
