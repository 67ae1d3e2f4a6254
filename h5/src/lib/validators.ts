/** The shared input rules. Each answers whether a text is acceptable. */

const SPECIAL = /[`~!#$^&*()=|{}':;,[\]<>/?～！￥…（）—【】‘’“”。，、？]/;

/** Forbidden in account, name, nickname and address; never applied to passwords. */
export const hasSpecialCharacters = (text: string): boolean => SPECIAL.test(text);
export const isLettersAndDigits = (text: string): boolean => /^[0-9a-zA-Z]*$/.test(text);
export const isMainlandMobile = (text: string): boolean => /^1[3-9]\d{9}$/.test(text);
export const isDigits = (text: string): boolean => /^\d+$/.test(text);
export const isCode = (text: string, length = 6): boolean => text.length === length && isDigits(text);
export const isEmpty = (text: string): boolean => text.trim() === '';

/** Light e-mail check: the server decides; this only catches slips. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text) && text.length <= 254;

export function isPhone(text: string, areaCode: string): boolean {
  return areaCode === '86' ? isMainlandMobile(text) : /^\d{5,15}$/.test(text);
}

export function isUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  return ['http:', 'https:'].includes(new URL(text).protocol);
}

/** A positive amount: up to 10 decimals, or `0.` and up to 20. */
export function isAmount(text: string): boolean {
  if (!/^([1-9]\d*|0)(\.\d{1,10})?$/.test(text) && !/^0\.\d{1,20}$/.test(text)) return false;
  return /[1-9]/.test(text);
}

/** Longer than six characters, at most 64. */
export const isPassword = (text: string): boolean => text.length > 6 && text.length <= 64;

const codePoints = (text: string): number => Array.from(text).length;
export const isLengthBetween = (text: string, min: number, max: number): boolean =>
  codePoints(text) >= min && codePoints(text) <= max;

export const isNickname = (text: string): boolean => /^[\p{Script=Han}A-Za-z0-9]{2,10}$/u.test(text);
export const isSignature = (text: string): boolean => /^[\p{Script=Han}A-Za-z0-9 ,.!?-]{2,30}$/u.test(text);
