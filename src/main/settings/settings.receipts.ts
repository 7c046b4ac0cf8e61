/**
 * The settings of fiscal receipts: RECEIPTS says who registers them, the other variables what they contain.
 */
import { processorMethods } from '#contract/invoices'
import type { FiscalMode } from '#payments'
import { longestName, maxNameLength, type ReceiptSettings } from '#receipts'
import { type Env, SettingFault, text } from './settings.env.ts'

const registrars = ['none', 'yookassa', 'external', 'manual'] as const
const modes: readonly FiscalMode[] = ['full_prepayment', 'full_payment']
const measures = ['gigabyte', 'piece', 'none'] as const
const details = [
  'RECEIPTS_VAT_CODE',
  'RECEIPTS_TAX_SYSTEM',
  'RECEIPTS_SUBJECT',
  'RECEIPTS_PAYMENT_MODE',
  'RECEIPTS_MEASURE',
  'RECEIPTS_CLOSING_DAYS',
  'RECEIPTS_BY_HAND',
] as const

/** The name of the item on a receipt, unless RECEIPTS_ITEM_NAME is set. */
const usualName = 'Прокси-трафик, {pool}'

/**
 * Null: no receipts. Throws `SettingFault` for values that are unknown or missing, and for values that only
 * another RECEIPTS uses.
 */
export function readReceipts(env: Env, has: { yookassa: boolean }): ReceiptSettings | null {
  const registrar = choice(env, 'RECEIPTS', registrars) ?? 'none'
  if (registrar === 'none' || registrar === 'manual') {
    const stray = details.find((name) => text(env, name) !== null)
    if (stray !== undefined)
      throw new SettingFault(
        `${stray} is of receipts that go through YooKassa, and RECEIPTS is ${registrar}: set it to yookassa or external, or remove ${stray}.`,
      )
  }
  if (registrar === 'none') {
    if (text(env, 'RECEIPTS_ITEM_NAME') !== null)
      throw new SettingFault('RECEIPTS_ITEM_NAME is of no use while RECEIPTS is none.')
    return null
  }
  const base = { itemName: readItemName(env), subject: 'service', mode: 'full_payment' as const }
  if (registrar === 'manual')
    return { ...base, registrar, vatCode: null, taxSystemCode: null, measure: 'none', closingDays: 0 }
  if (!has.yookassa)
    throw new SettingFault(
      `RECEIPTS=${registrar} needs YOOKASSA_SHOP_ID and YOOKASSA_SECRET_KEY: receipts are sent with its payments.`,
    )
  return {
    ...base,
    registrar,
    vatCode: readVatCode(env, registrar),
    taxSystemCode: readTaxSystem(env, registrar),
    subject: readSubject(env),
    mode: choice(env, 'RECEIPTS_PAYMENT_MODE', modes) ?? 'full_payment',
    measure: readMeasure(env, registrar),
    closingDays: readClosingDays(env),
    byHand: readByHand(env),
  }
}

/** The methods whose sales need a till that YooKassa does not have: staff register them. */
function readByHand(env: Env): ReadonlySet<string> {
  const names = (text(env, 'RECEIPTS_BY_HAND') ?? '').split(',').map((name) => name.trim())
  const methods = names.filter((name) => name !== '')
  for (const name of methods) {
    if (name === 'yookassa')
      throw new SettingFault('RECEIPTS_BY_HAND: receipts of yookassa go with its payments. Remove it.')
    if (!processorMethods.some((known) => known === name))
      throw new SettingFault(`RECEIPTS_BY_HAND lists payment methods; there is none named “${name}”.`)
  }
  return new Set(methods)
}

function choice<Value extends string>(env: Env, name: string, values: readonly Value[]): Value | null {
  const value = text(env, name)
  if (value === null) return null
  const known = values.find((each) => each === value)
  if (known === undefined)
    throw new SettingFault(`${name} must be one of ${values.join(', ')}, not “${value}”.`)
  return known
}

/** A whole number within limits; null: it is unset. */
function whole(env: Env, name: string, min: number, max: number): number | null {
  const value = text(env, name)
  if (value === null) return null
  if (!/^\d{1,4}$/.test(value) || Number(value) < min || Number(value) > max)
    throw new SettingFault(`${name} must be a whole number from ${min} to ${max}, not “${value}”.`)
  return Number(value)
}

/** `vat_code` of YooKassa: 1 is no VAT; 11 and 12, of 22 %, came with the year 2026. */
function readVatCode(env: Env, registrar: string): number {
  const code = whole(env, 'RECEIPTS_VAT_CODE', 1, 12)
  if (code === null)
    throw new SettingFault(
      `RECEIPTS=${registrar} needs RECEIPTS_VAT_CODE, 1 to 12 (1: no VAT, 11: 22 %); ask the accountant.`,
    )
  return code
}

function readTaxSystem(env: Env, registrar: string): number | null {
  const code = whole(env, 'RECEIPTS_TAX_SYSTEM', 1, 6)
  if (code !== null && registrar === 'yookassa')
    throw new SettingFault(
      'RECEIPTS_TAX_SYSTEM is for RECEIPTS=external: Чеки от ЮKassa take the tax system from the contract. Remove it.',
    )
  return code
}

function readSubject(env: Env): string {
  const subject = text(env, 'RECEIPTS_SUBJECT') ?? 'service'
  if (!/^[a-z_]{3,40}$/.test(subject))
    throw new SettingFault(
      `RECEIPTS_SUBJECT must be a payment_subject of YooKassa such as service or another, not “${subject}”.`,
    )
  return subject
}

function readMeasure(env: Env, registrar: string): ReceiptSettings['measure'] {
  const measure = choice(env, 'RECEIPTS_MEASURE', measures) ?? 'gigabyte'
  if (measure === 'none' && registrar === 'yookassa')
    throw new SettingFault(
      'RECEIPTS_MEASURE=none is for tills of FFD 1.05 (RECEIPTS=external): Чеки от ЮKassa need a measure.',
    )
  return measure
}

function readClosingDays(env: Env): number {
  const days = whole(env, 'RECEIPTS_CLOSING_DAYS', 0, 365)
  if (days !== null && text(env, 'RECEIPTS_PAYMENT_MODE') !== 'full_prepayment')
    throw new SettingFault('RECEIPTS_CLOSING_DAYS is of use with RECEIPTS_PAYMENT_MODE=full_prepayment only.')
  return days ?? 0
}

function readItemName(env: Env): string {
  const name = text(env, 'RECEIPTS_ITEM_NAME') ?? usualName
  const stray = /\{(?!pool\})[^}]*\}?/.exec(name)?.[0]
  if (stray !== undefined)
    throw new SettingFault(`RECEIPTS_ITEM_NAME: only {pool} is replaced in it, not “${stray}”.`)
  if (/\p{C}/u.test(name) || longestName(name) > maxNameLength)
    throw new SettingFault(
      `RECEIPTS_ITEM_NAME is too long: with pool and GB a receipt takes ${maxNameLength} characters.`,
    )
  return name
}
