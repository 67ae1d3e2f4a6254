import { AtSign, ChevronRight, ExternalLink, Phone } from 'lucide-react';
import { leadTo, linksIn } from '@/components/article/richText';
import css from './ContactLinks.module.css';

function iconOf(href: string) {
  if (/^mailto:/i.test(href)) return AtSign;
  return /^tel:/i.test(href) ? Phone : ExternalLink;
}

/** The ways that a text about contacts names, large enough for a finger. */
export function ContactLinks({ html }: { html: string }) {
  const links = linksIn(html);
  if (links.length === 0) return null;
  return (
    <ul className={css.links}>
      {links.map(({ href, text }) => {
        const Icon = iconOf(href);
        return (
          <li key={href}>
            <a {...leadTo(href)} className={css.link}>
              <Icon size={19} aria-hidden="true" />
              <span>{text}</span>
              <ChevronRight size={16} aria-hidden="true" />
            </a>
          </li>
        );
      })}
    </ul>
  );
}
