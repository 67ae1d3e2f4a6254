import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { richText } from './richText';

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
