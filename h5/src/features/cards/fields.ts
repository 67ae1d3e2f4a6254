/** The fields of bank cards, and what each may hold, as the server has it. */

export type Kind = 'domestic' | 'international';

export type Form = 'words' | 'account' | 'swift' | 'phone';

/** Names as the server has them, in order; some once were of other columns. */
export const DOMESTIC = [
  { name: 'real_name', form: 'words' },
  { name: 'bank_name', form: 'words' },
  { name: 'bank_account', form: 'account' },
  { name: 'bank_dizhi', form: 'words' },
  { name: 'alipay_account', form: 'words' },
  { name: 'wechat_nickname', form: 'swift' },
  { name: 'wechat_account', form: 'words' },
  { name: 'bank_branch', form: 'words' },
  { name: 'phone', form: 'phone' },
] as const satisfies readonly { name: string; form: Form }[];

/** Those of an international card, whose names come from the server. */
const INTERNATIONAL: readonly Form[] = ['words', 'account', 'swift', 'words', 'words', 'words', 'words', 'phone'];

export const formsOf = (kind: Kind): readonly Form[] =>
  kind === 'international' ? INTERNATIONAL : DOMESTIC.map(({ form }) => form);

export type Problem = 'missing' | 'words' | 'account' | 'iban' | 'swift' | 'phone';

/** ISO 13616: two letters and two digits in front make an IBAN, whose check digits must fit. */
function isWrongIban(account: string): boolean {
  if (!/^[A-Z]{2}\d{2}/.test(account)) return false;
  const turned = account.slice(4) + account.slice(0, 4);
  let rest = 0;
  for (const letter of turned) {
    const digits = /\d/.test(letter) ? letter : String(letter.charCodeAt(0) - 55);
    rest = Number(`${rest}${digits}`) % 97;
  }
  return rest !== 1;
}

/** What is wrong with a text, if anything. */
export function problemOf(form: Form, entered: string): Problem | undefined {
  const text = entered.trim();
  if (text === '') return 'missing';
  switch (form) {
    case 'words':
      return Array.from(text).length > 100 ? 'words' : undefined;
    case 'account': {
      const account = text.replace(/[\s-]/g, '').toUpperCase();
      if (!/^[0-9A-Z]{6,34}$/.test(account)) return 'account';
      return isWrongIban(account) ? 'iban' : undefined;
    }
    case 'swift':
      return /^[0-9A-Z]{4}[A-Z]{2}[0-9A-Z]{2}([0-9A-Z]{3})?$/i.test(text) ? undefined : 'swift';
    case 'phone': {
      const digits = text.replace(/\D/g, '').length;
      return /^[\d+\-() ]+$/.test(text) && digits >= 5 && digits <= 20 ? undefined : 'phone';
    }
  }
}
