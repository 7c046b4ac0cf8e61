import { expect, it } from 'vitest'
import { SettingFault } from './settings.env.ts'
import { readReceipts } from './settings.receipts.ts'

const read = (env: Record<string, string>, yookassa = true) => readReceipts(env, { yookassa })

it('the shop registers no receipts unless RECEIPTS says who does', () => {
  expect(read({})).toBeNull()
  expect(read({ RECEIPTS: 'none' })).toBeNull()
})

it('the shop reads the content of receipts', () => {
  expect(read({ RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '11' })).toEqual({
    registrar: 'yookassa',
    vatCode: 11,
    taxSystemCode: null,
    subject: 'service',
    mode: 'full_payment',
    measure: 'gigabyte',
    itemName: 'Прокси-трафик, {pool}',
    closingDays: 0,
    byHand: new Set(),
  })
  const byHand = { RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '11', RECEIPTS_BY_HAND: 'card, crypto' }
  expect(read(byHand)?.byHand).toEqual(new Set(['card', 'crypto']))
  const external = {
    RECEIPTS: 'external',
    RECEIPTS_VAT_CODE: '12',
    RECEIPTS_TAX_SYSTEM: '2',
    RECEIPTS_SUBJECT: 'another',
    RECEIPTS_PAYMENT_MODE: 'full_prepayment',
    RECEIPTS_MEASURE: 'none',
    RECEIPTS_CLOSING_DAYS: '30',
    RECEIPTS_ITEM_NAME: 'Доступ к прокси',
  }
  expect(read(external)).toMatchObject({
    vatCode: 12,
    taxSystemCode: 2,
    subject: 'another',
    mode: 'full_prepayment',
    measure: 'none',
    closingDays: 30,
    itemName: 'Доступ к прокси',
  })
  expect(read({ RECEIPTS: 'manual' }, false)).toMatchObject({ registrar: 'manual', vatCode: null })
})

it.each([
  [{ RECEIPTS: 'atol' }, /RECEIPTS must be one of none, yookassa, external, manual/],
  [{ RECEIPTS: 'yookassa' }, /needs RECEIPTS_VAT_CODE/],
  [{ RECEIPTS: 'manual', RECEIPTS_BY_HAND: 'card' }, /RECEIPTS_BY_HAND is of receipts/],
  [
    { RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1', RECEIPTS_BY_HAND: 'card,yookassa' },
    /receipts of yookassa go with its payments/,
  ],
  [{ RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1', RECEIPTS_BY_HAND: 'cash' }, /none named “cash”/],
  [
    { RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '13' },
    /RECEIPTS_VAT_CODE must be a whole number from 1 to 12/,
  ],
  [{ RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '0x1' }, /RECEIPTS_VAT_CODE/],
  [{ RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1', RECEIPTS_TAX_SYSTEM: '1' }, /RECEIPTS_TAX_SYSTEM is for/],
  [{ RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1', RECEIPTS_MEASURE: 'none' }, /FFD 1.05/],
  [
    { RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1', RECEIPTS_PAYMENT_MODE: 'advance' },
    /PAYMENT_MODE must be/,
  ],
  [{ RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1', RECEIPTS_CLOSING_DAYS: '3' }, /full_prepayment only/],
  [{ RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1', RECEIPTS_ITEM_NAME: 'Трафик {gb}' }, /only \{pool\}/],
  [{ RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1', RECEIPTS_ITEM_NAME: 'т'.repeat(120) }, /too long/],
  [
    { RECEIPTS: 'manual', RECEIPTS_VAT_CODE: '1' },
    /RECEIPTS_VAT_CODE is of receipts that go through YooKassa/,
  ],
  [{ RECEIPTS_ITEM_NAME: 'Трафик' }, /of no use while RECEIPTS is none/],
])('refuses %o', (env, sentence) => {
  expect(() => read(env)).toThrow(sentence)
  expect(() => read(env)).toThrow(SettingFault)
})

it('the shop needs YooKassa for receipts that are sent through it', () => {
  expect(() => read({ RECEIPTS: 'external', RECEIPTS_VAT_CODE: '1' }, false)).toThrow(
    /needs YOOKASSA_SHOP_ID/,
  )
})
