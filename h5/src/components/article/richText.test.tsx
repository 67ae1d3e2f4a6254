import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { linksIn, richText, withoutLinks } from './richText';

const show = (html: string) => render(<div>{richText(html)}</div>).container.innerHTML;

test('known tags stay, headings continue below the page title', () => {
  expect(show('<h1>A</h1><p>b <b>c</b></p><ul><li>d</li></ul>')).toBe(
    '<div><h2>A</h2><p>b <b>c</b></p><ul><li>d</li></ul></div>',
  );
});

test('scripts, styles, handlers and foreign links never reach the page', () => {
  const html = show(
    '<script>alert(1)</script><p onclick="x()" style="color:red">t</p><a href="javascript:x()">l</a><img src=x onerror=y>' +
      '<svg><script>1</script></svg><iframe src="https://a.b"></iframe><style>p{}</style>',
  );
  expect(html).toBe('<div><p>t</p><span>l</span></div>');
});

test('an outer link opens elsewhere and tells the other page nothing', () => {
  expect(show('<a href="https://a.b">x</a>')).toContain('rel="noopener noreferrer"');
});

test('links of an article are told apart from what must not be followed, each once', () => {
  const html =
    '<p>Write to <a href="mailto:help@a.b">help@a.b</a> or <a href="mailto:help@a.b">again</a>, ' +
    '<a href="javascript:x()">l</a>, <a href="https://a.b"></a>, <a href="https://a.b/c"> Chat </a></p>';
  expect(linksIn(html)).toEqual([
    { href: 'mailto:help@a.b', text: 'help@a.b' },
    { href: 'https://a.b/c', text: 'Chat' },
  ]);
  expect(withoutLinks(html)).toBe('<p>Write to help@a.b or again, l, ,  Chat </p>');
});

test('a mail address stays in the app that shows it', () => {
  expect(show('<a href="mailto:help@a.b">x</a>')).toBe('<div><a href="mailto:help@a.b">x</a></div>');
});
