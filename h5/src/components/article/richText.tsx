/**
 * Articles arrive as HTML that the server has cleaned. They are shown as React elements built from a short list of
 * tags, so that nothing else of them, a script or a style least of all, can reach the page.
 */
import { createElement, type ReactNode } from 'react';
import css from './richText.module.css';

const TAGS = new Set([
  'p',
  'br',
  'b',
  'strong',
  'i',
  'em',
  'u',
  's',
  'ul',
  'ol',
  'li',
  'h1',
  'h2',
  'h3',
  'h4',
  'blockquote',
  'code',
  'pre',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'hr',
  'a',
  'img',
  'span',
  'div',
  'section',
]);
/** What would otherwise show its source as text. */
const DROPPED = new Set(['script', 'style', 'template', 'iframe', 'object', 'noscript', 'svg', 'math']);
/** An article's headings continue below the page's own first heading. */
const LOWERED: Record<string, string> = { h1: 'h2', h4: 'h3' };

const safeLink = (url: string): boolean => /^(https?:\/\/|mailto:|tel:|#\/pages\/|\/upload\/)/i.test(url);
/** No other page takes the place of this one. */
const opensHere = (href: string): boolean => /^(#|mailto:|tel:)/i.test(href);
const safeImage = (url: string): boolean => /^(https:\/\/|\/upload\/|\/static\/)/i.test(url);

function attributesOf(tag: string, node: Element): Record<string, string> | null {
  if (tag === 'a') {
    const href = node.getAttribute('href') ?? '';
    if (!safeLink(href)) return null;
    return leadTo(href);
  }
  if (tag === 'img') {
    const src = node.getAttribute('src') ?? '';
    return safeImage(src) ? { src, alt: node.getAttribute('alt') ?? '', loading: 'lazy' } : null;
  }
  return {};
}

const bodyOf = (html: string): HTMLElement => new DOMParser().parseFromString(html, 'text/html').body;

function toReact(node: Node, key: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element)) return null;
  const tag = node.tagName.toLowerCase();
  if (DROPPED.has(tag)) return null;
  const children = Array.from(node.childNodes, toReact);
  const attributes = TAGS.has(tag) ? attributesOf(tag, node) : null;
  if (!attributes) return children.length > 0 ? createElement('span', { key }, children) : null;
  const props = { key, ...attributes };
  return children.length > 0
    ? createElement(LOWERED[tag] ?? tag, props, children)
    : createElement(LOWERED[tag] ?? tag, props);
}

export const richText = (html: string): ReactNode => Array.from(bodyOf(html).childNodes, toReact);

export function RichText({ html }: { html: string }) {
  return <div className={css.content}>{richText(html)}</div>;
}

export interface ArticleLink {
  href: string;
  text: string;
}

/** The links of an article, each once: for a page that offers them as buttons. */
export function linksIn(html: string): ArticleLink[] {
  const links = new Map<string, ArticleLink>();
  for (const anchor of bodyOf(html).querySelectorAll('a')) {
    const [href, text] = [anchor.getAttribute('href') ?? '', anchor.textContent.trim()];
    if (safeLink(href) && text && !links.has(href)) links.set(href, { href, text });
  }
  return [...links.values()];
}

/** The same text, for a page that offers its links as buttons. */
export function withoutLinks(html: string): string {
  const body = bodyOf(html);
  for (const anchor of body.querySelectorAll('a')) anchor.replaceWith(...anchor.childNodes);
  return body.innerHTML;
}

/** The attributes with which such a link leads where it says. */
export const leadTo = (href: string): Record<string, string> =>
  opensHere(href) ? { href } : { href, target: '_blank', rel: 'noopener noreferrer' };
