import { beforeAll, describe, expect, it } from 'vitest'
import { CallError } from '#contract/client'
import { changeLanguage, loadTexts, text } from '../app/i18n.ts'
import { payFault } from './pay.ts'

const t = (key: Parameters<typeof text<'purchase'>>[1]) => text('purchase', key)
const refusal = (status: number, code: string, message: string) => new CallError({ status, code, message })

beforeAll(async () => {
  await loadTexts('purchase')
  await changeLanguage('en')
})

describe('a payment that came to nothing', () => {
  it('is said in the words for crypto when that method is away', () =>
    expect(payFault(refusal(501, 'payment_method_unavailable', 'Not now.'), 'crypto', t)).toBe(
      'Crypto payments are temporarily unavailable. Please try another payment method.',
    ))

  it.each([
    [refusal(501, 'payment_method_unavailable', 'Not now.'), 'card', 'Not now.'],
    [refusal(422, 'promocode_invalid', 'The code is over.'), 'crypto', 'The code is over.'],
  ])('is said in the server’s own words', (error, method, expected) =>
    expect(payFault(error, method, t)).toBe(expected),
  )

  it.each([
    refusal(502, 'unexpected_answer', 'HTTP 502'),
    refusal(500, 'internal_error', ''),
    new Error('x'),
  ])('is said in general words where the server has none', (error) =>
    expect(payFault(error, 'card', t)).toBe(text('purchase', 'paymentFailed')),
  )
})
