/**
 * Articles arrive as HTML that the server has cleaned. They are shown as React elements built from a short list of
 * tags, so that nothing else of them, a script or a style least of all, can reach the page.
 */
import { createElement, type ReactNode } from 'react';

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

const safeLink = (url: string): boolean => /^(https?:\/\/|#\/pages\/|\/upload\/)/i.test(url);
const safeImage = (url: string): boolean => /^(https:\/\/|\/upload\/|\/static\/)/i.test(url);

function attributesOf(tag: string, node: Element): Record<string, string> | null {
  if (tag === 'a') {
    const href = node.getAttribute('href') ?? '';
    if (!safeLink(href)) return null;
    return href.startsWith('#') ? { href } : { href, target: '_blank', rel: 'noopener noreferrer' };
  }
  if (tag === 'img') {
    const src = node.getAttribute('src') ?? '';
    return safeImage(src) ? { src, alt: node.getAttribute('alt') ?? '', loading: 'lazy' } : null;
  }
  return {};
}

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

export function richText(html: string): ReactNode {
  return Array.from(new DOMParser().parseFromString(html, 'text/html').body.childNodes, toReact);
}
