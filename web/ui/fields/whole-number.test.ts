import { expect, it } from 'vitest'
import { wholeNumberIn } from './whole-number.ts'

it.each([
  ['', null],
  ['abc', null],
  ['7', 7],
  ['007', 7],
  ['0', 0],
  ['1 200', 1200],
  ['1 2a3', 123],
  ['-5', 5],
  ['1.5', 1],
  ['12,5', 12],
  ['.5', 5],
  ['10000', 10_000],
  ['10001', 10_000],
  ['99999999999999999999', 10_000],
])('%j is %s', (text, number) => expect(wholeNumberIn(text, 10_000)).toBe(number))
