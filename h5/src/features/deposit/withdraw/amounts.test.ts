import { expect, test } from 'vitest';
import { cutToStep, leftOf, mostOf, problemOf, sent } from './amounts';

const TERMS = {
  min_number: '0.001',
  max_number: '5',
  step: '0.0001',
  available: '2.34567891',
  used: '0.5',
  limit: '10',
};

test('an amount is cut to whole steps, never up', () => {
  expect(cutToStep('2.34567891', '0.0001')).toBe('2.3456');
  expect(cutToStep('7', '2')).toBe('6');
  expect(cutToStep('0.00009', '0.0001')).toBe('0');
  expect(cutToStep('1.5', '0')).toBe('1.5');
  expect(cutToStep('', '0.0001')).toBe('0');
});

test('all is the least of what there is, what one may be and what the day leaves', () => {
  expect(mostOf(TERMS)).toBe('2.3456');
  expect(mostOf({ ...TERMS, max_number: '1' })).toBe('1');
  expect(mostOf({ ...TERMS, used: '9.75' })).toBe('0.25');
  expect(mostOf({ ...TERMS, used: '11' })).toBe('0');
  expect(leftOf({ limit: '10', used: '10' })).toBe('0');
});

test.each([
  ['', 'required'],
  ['0', 'amount'],
  ['.', 'amount'],
  ['0.00015', 'step'],
  ['0.0005', 'min'],
  ['2.3457', 'available'],
  ['2.3456', null],
  ['0.00100000', null],
])('%j is %s', (text, problem) => expect(problemOf(text, TERMS)).toBe(problem));

test('more than one may be, and more than the day leaves, are told apart', () => {
  expect(problemOf('6', { ...TERMS, available: '100' })).toBe('max');
  expect(problemOf('4', { ...TERMS, available: '100', used: '7' })).toBe('limit');
});

test('only an amount is sent, without the zeros that say nothing', () => {
  expect(['0.10', '', '0', 'x', '12'].map(sent)).toEqual(['0.1', '', '', '', '12']);
});
