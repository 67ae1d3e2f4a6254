import { beforeEach, describe, expect, test, vi } from 'vitest';
import { beginBusy, busyAtom } from './busy';
import { fiatOf, keepKnown, replaceRates } from './fiat';
import { GUEST, sessionReducer } from './session';
import { appStore, reloadStored, remember, stored } from './state';
import { throttle } from './throttle';
import * as rules from './validators';

describe('session', () => {
  const user = { id: 1, uid: '100001', nickname: 'Ann' } as never;

  test('a login under another token forgets the former profile, and the same token keeps it', () => {
    const member = sessionReducer(sessionReducer(GUEST, { type: 'login', token: 'a' }), { type: 'user', user });
    expect(sessionReducer(member, { type: 'login', token: 'a' })).toBe(member);
    expect(sessionReducer(member, { type: 'login', token: 'b' })).toEqual({ token: 'b', user: null });
  });

  test('a profile that arrives after the logout is dropped', () => {
    expect(sessionReducer(GUEST, { type: 'user', user })).toBe(GUEST);
  });

  test('logging out removes token and user, and a second time changes nothing', () => {
    expect(sessionReducer({ token: 'a', user }, { type: 'logout' })).toBe(GUEST);
    expect(sessionReducer(GUEST, { type: 'logout' })).toBe(GUEST);
  });
});

const reread = () => {
  reloadStored();
  return stored();
};

describe('storage', () => {
  beforeEach(() => localStorage.clear());

  test('a stored version below 1 clears everything once, then 1 is stored', () => {
    localStorage.setItem('h5Version', '0.9');
    localStorage.setItem('h5', JSON.stringify({ token: 'old' }));
    localStorage.setItem('other', 'x');
    expect(reread().token).toBe('');
    expect([localStorage.getItem('h5Version'), localStorage.getItem('other')]).toEqual(['1', null]);
    remember({ token: 'new' });
    expect(reread().token).toBe('new');
  });

  test('damaged fields fall back one by one, damaged text to the defaults', () => {
    localStorage.setItem('h5Version', '1');
    localStorage.setItem('h5', JSON.stringify({ token: 'keep', fiat: 7, rates: 'no' }));
    expect(reread()).toMatchObject({ token: 'keep', fiat: 'USD', rates: [] });
    localStorage.setItem('h5', '{broken');
    expect(reread().token).toBe('');
  });

  test('a browser that refuses storage leaves the app running', () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('denied');
    });
    remember({ account: 'a@b.co' });
    expect(stored().account).toBe('a@b.co');
  });
});

describe('fiat', () => {
  const base = { rates: [], savedMs: 0, code: 'THB' as const, rate: '35' };

  test('keeps the eleven codes and drops what is no rate', () => {
    const row = (code: string, rate: string) => ({ currency_code: code, rate, value: rate });
    expect(keepKnown([row('USD', '1'), row('thb', '36.1'), row('XAU', '2'), row('EUR', '0')])).toEqual([
      { code: 'USD', value: '1' },
      { code: 'THB', value: '36.1' },
    ]);
  });

  test('the choice stays with its former rate when a new list lacks it, and an empty list changes nothing', () => {
    expect(replaceRates(base, [{ code: 'USD', value: '1' }], 5)).toMatchObject({ code: 'THB', rate: '35', savedMs: 5 });
    expect(replaceRates(base, [{ code: 'THB', value: '36' }], 5)).toMatchObject({ code: 'THB', rate: '36' });
    expect(replaceRates(base, [], 5)).toBe(base);
  });

  test('amounts show as in the worked numbers', () => {
    expect(fiatOf({ ...base, code: 'CNY', rate: '7.1234' }).show('1234.5678')).toBe('CN¥8,794.32');
    expect(fiatOf({ ...base, code: 'VND', rate: '24350.5' }).approx('1234.5678')).toBe('≈ ₫30,062,343.21');
  });
});

describe('validators', () => {
  const good: [(text: string) => boolean, string[], string[]][] = [
    [rules.isEmail, ['a@b.co', 'x.y+z@mail.example.org'], ['a@b', 'a b@c.co', '@b.co', 'a@.co']],
    [rules.isMainlandMobile, ['13800138000'], ['12800138000', '1380013800', '138001380000']],
    [
      rules.isAmount,
      ['1', '0.1', '10.0000000001', '0.00000000000000000001'],
      ['0', '0.0', '01', '1.', '.5', '-1', '1e3', '1.00000000001'],
    ],
    [rules.isCode, ['123456'], ['12345', '1234567', '12a456', '１２３４５６']],
    [rules.isPassword, ['1234567', 'pass word!'], ['123456', '', 'x'.repeat(65)]],
    [rules.isNickname, ['Ann', '小明', 'Ab1'], ['A', 'with space', 'ElevenChars', '小!']],
    [rules.isSignature, ['Hi there!', '小明 ok'], ['x', 'y'.repeat(31), 'a<b']],
    [rules.isLettersAndDigits, ['abc123', ''], ['a-b']],
    [rules.isUrl, ['https://a.b/c'], ['javascript:alert(1)', 'a.b', 'ftp://a.b']],
  ];

  test.each(good)('%o accepts and refuses', (rule, accepted, refused) => {
    for (const text of accepted) expect([text, rule(text)]).toEqual([text, true]);
    for (const text of refused) expect([text, rule(text)]).toEqual([text, false]);
  });

  test('every special character is found; those of e-mail addresses are allowed', () => {
    for (const char of "`~!#$^&*()=|{}':;,[]<>/?～！￥…（）—【】‘’“”。，、？") {
      expect([char, rules.hasSpecialCharacters(`a${char}b`)]).toEqual([char, true]);
    }
    expect(rules.hasSpecialCharacters('a.b-c_d+e%f@g.co')).toBe(false);
  });

  test('a phone follows the mainland rule under +86 and is 5 to 15 digits elsewhere', () => {
    expect([rules.isPhone('13800138000', '86'), rules.isPhone('12345', '86'), rules.isPhone('12345', '66')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe('timing', () => {
  test('a click acts at once and is then ignored for 500 ms', () => {
    vi.useFakeTimers();
    let count = 0;
    const click = throttle(() => {
      count += 1;
    });
    click();
    vi.advanceTimersByTime(499);
    click();
    expect(count).toBe(1);
    vi.advanceTimersByTime(1);
    click();
    expect(count).toBe(2);
    vi.useRealTimers();
  });

  test('the waiting indicator appears after 800 ms and not for quicker calls', () => {
    vi.useFakeTimers();
    const quick = beginBusy();
    vi.advanceTimersByTime(700);
    quick();
    vi.advanceTimersByTime(500);
    expect(appStore.get(busyAtom)).toBe(false);
    const slow = beginBusy();
    vi.advanceTimersByTime(800);
    expect(appStore.get(busyAtom)).toBe(true);
    slow();
    slow();
    expect(appStore.get(busyAtom)).toBe(false);
    vi.useRealTimers();
  });
});
