import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CallError } from '#contract/client'
import { changeLanguage, loadTexts, text } from '../../state/i18n.ts'
import { paymentErrorText } from './payment.ts'

const t = (key: Parameters<typeof text<'purchase'>>[1]) => text('purchase', key)
const refusal = (status: number, code: string, message: string) => new CallError({ status, code, message })

afterAll(() => changeLanguage('ru'))
beforeAll(async () => {
  await loadTexts('purchase')
  await changeLanguage('en')
})

describe('the message of a failed order', () => {
  it('has a text of its own where the method crypto is unavailable', () =>
    expect(paymentErrorText(refusal(501, 'payment_method_unavailable', 'Not now.'), 'crypto', t)).toBe(
      'Crypto payments are temporarily unavailable. Please try another payment method.',
    ))

  it.each([
    [refusal(501, 'payment_method_unavailable', 'Not now.'), 'card', 'Not now.'],
    [refusal(422, 'promocode_invalid', 'The code has expired.'), 'crypto', 'The code has expired.'],
  ])('is the sentence of the server', (error, method, expected) =>
    expect(paymentErrorText(error, method, t)).toBe(expected),
  )

  it.each([
    refusal(502, 'unexpected_answer', 'HTTP 502'),
    refusal(500, 'internal_error', ''),
    new Error('x'),
  ])('is a general text where the server sent none', (error) =>
    expect(paymentErrorText(error, 'card', t)).toBe(text('purchase', 'paymentFailed')),
  )
})
