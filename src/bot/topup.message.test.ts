import { expect, it } from 'vitest'
import { texts } from './base/texts.ts'
import { topUpMessage } from './topup.message.ts'

const notice = {
  kind: 'topup',
  account_id: '1',
  pool: 'mobile',
  event: 'failed',
  reason: 'insufficient_funds',
  card: 'Visa •• <4242>',
  currency: 'USD',
  micros: '1000000',
  is_off: false,
  retry_at: '2026-11-20T10:00:00.000Z',
  url: null,
} as const

it('the message about a failed charge says why a charge failed and what follows', () => {
  const { text } = topUpMessage(texts.ru, 'ru', notice)
  expect(text).toContain('На карте не хватило денег.')
  expect(text).toContain('Мы попробуем ещё раз.')
  expect(text).toContain('&lt;4242&gt;')
  const off = { ...notice, is_off: true, retry_at: null }
  expect(topUpMessage(texts.en, 'en', off).text).toContain('is now off')
})

it('the message about a failed charge leads to the page on which the customer pays, and has the button that ends such messages', () => {
  const asked = { ...notice, event: 'authentication', reason: null, url: 'https://pay.example/1' } as const
  const { text, keyboard } = topUpMessage(texts.en, 'en', asked)
  expect(text).toContain('Pay the same invoice yourself')
  expect(keyboard?.inline_keyboard.flat()).toMatchObject([
    { url: 'https://pay.example/1' },
    { callback_data: 'notices:topup:off' },
  ])
})
