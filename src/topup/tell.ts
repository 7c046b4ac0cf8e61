/** Notices about top-ups. A successful charge is reported by the usual payment letter. */
import type { Transaction } from 'kysely'
import { addressesOf } from '#accounts'
import type { OffReason } from '#contract/topup/rules'
import type { DB } from '#db'
import { type Letters, sendMail } from '#mail'
import { tell } from '#customer-notices'
import type { DeclineReason } from '#payments'
import type { Invoice } from '#purchase'
import type { ConsentText } from './consent.ts'
import type { OpenCharge, TopUp } from './list.ts'

type TopUpNotice = Letters['top_up']
type Whose = Pick<TopUp, 'accountId' | 'pool'>

const blank = {
  reason: null,
  card: null,
  currency: null,
  micros: null,
  is_off: false,
  retry_at: null,
  url: null,
}

const send = (tx: Transaction<DB>, accountId: bigint, told: TopUpNotice, now: Date) =>
  tell(tx, accountId, { kind: 'topup', ...told }, now)

const priceIn = ({ price }: Invoice) => ({ currency: price.currency, micros: String(price.micros) })

/** A charge failed; `isOff`: the top-up is off now. */
export async function tellFailed(
  tx: Transaction<DB>,
  of: {
    charge: OpenCharge
    invoice: Invoice
    reason: DeclineReason
    isOff: boolean
    retryAt: Date | null
  },
  now: Date,
): Promise<void> {
  const { charge, invoice, reason, isOff, retryAt } = of
  const { accountId, pool, card } = charge
  const facts = { ...priceIn(invoice), card, is_off: isOff, retry_at: retryAt?.toISOString() ?? null }
  await send(tx, accountId, { ...blank, pool, event: 'failed', reason, ...facts }, now)
}

/** The bank requires the customer's confirmation: they pay the invoice on a page. */
export async function tellAuthentication(
  tx: Transaction<DB>,
  { charge, invoice, url }: { charge: OpenCharge; invoice: Invoice; url: string },
  now: Date,
): Promise<void> {
  const { accountId, pool, card } = charge
  await send(tx, accountId, { ...blank, pool, event: 'authentication', card, url, ...priceIn(invoice) }, now)
}

/** The top-up was switched off, for a reason other than a failed charge. */
export async function tellOff(
  tx: Transaction<DB>,
  { accountId, pool, reason }: Whose & { reason: OffReason },
  now: Date,
): Promise<void> {
  await send(tx, accountId, { ...blank, pool, event: 'off', reason, is_off: true }, now)
}

/** A charge is due, and would exceed the bound of the month. */
export async function tellBound(
  tx: Transaction<DB>,
  { accountId, pool, monthMicros }: Whose & { monthMicros: bigint },
  now: Date,
): Promise<void> {
  const bound = { currency: 'USD', micros: String(monthMicros) }
  await send(tx, accountId, { ...blank, pool, event: 'bound', ...bound }, now)
}

/** The copy of the customer's consent; it cannot be switched off like other notices. */
export async function sendConsent(
  tx: Transaction<DB>,
  accountId: bigint,
  { text, sha256, language }: ConsentText,
  givenAt: Date,
): Promise<void> {
  const { email } = await addressesOf(tx, accountId)
  if (email === null) return
  const data = { text, sha256: sha256.toString('hex'), given_at: givenAt.toISOString() }
  await sendMail(tx, {
    template: 'top_up_consent',
    to: email,
    language,
    data,
  })
}
