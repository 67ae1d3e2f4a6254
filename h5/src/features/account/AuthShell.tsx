import { Globe } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { LanguageSheet } from '@/components/preferences';
import { Button, NavBar } from '@/components/ui';
import { LANGUAGE_NAMES, useLanguage } from '@/lib/i18n';
import css from './AuthShell.module.css';

interface Props {
  title: string;
  lead: string;
  children: ReactNode;
}

/** The frame of the pages before the login: mark, claim, form; the language within reach. */
export function AuthShell({ title, lead, children }: Props) {
  const [choosing, setChoosing] = useState(false);
  const language = useLanguage();
  return (
    <div className={css.page}>
      <NavBar
        title={title}
        heading={<span />}
        right={
          <Button
            tone="ghost"
            size="s"
            className={css.language}
            icon={<Globe size={16} aria-hidden="true" />}
            onClick={() => setChoosing(true)}
          >
            {LANGUAGE_NAMES[language]}
          </Button>
        }
      />
      <div className={css.content}>
        <svg width="44" height="44" viewBox="0 0 44 44" aria-hidden="true" className={css.mark}>
          <rect width="44" height="44" rx="13" fill="#2a64fb" />
          <path d="M13 27V17M22 31V13M31 24V20" stroke="#fff" strokeWidth="4.5" strokeLinecap="round" />
        </svg>
        <h1 className={css.title}>{title}</h1>
        <p className={css.lead}>{lead}</p>
        {children}
      </div>
      <LanguageSheet open={choosing} onClose={() => setChoosing(false)} />
    </div>
  );
}
