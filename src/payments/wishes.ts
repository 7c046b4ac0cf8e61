/**
 * Optional wishes of an invoice. When a processor refuses an invoice because of a wish, the invoice is made
 * without it, so that no sale is lost, and staff are notified once.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { ProcessorFault } from './ask.ts'
import type { InvoiceToPay, PaymentMethod, Wish } from './method.ts'

/**
 * Whether an invoice has this wish. The wishes other than these two belong to every invoice of a method that
 * lists them.
 */
const isWished = ({ receipt, savesMethod }: InvoiceToPay, wish: Wish): boolean =>
  wish === 'receipt' ? receipt !== null : wish === 'save_method' ? savesMethod : true

/** The HTTP statuses with which processors refuse a wish: as wrong data, or as not allowed to the shop. */
const refusals: Readonly<Record<Wish, readonly number[]>> = {
  save_method: [400, 403],
  receipt: [400],
  invoice: [400, 402, 403],
  language: [422],
}

const mayBeOf = ({ outcome, status }: ProcessorFault, wishes: readonly Wish[]): boolean =>
  outcome === 'refused' && wishes.some((wish) => refusals[wish].includes(status ?? 0))

const dropped = (invoice: InvoiceToPay, wishes: readonly Wish[]): InvoiceToPay => ({
  ...invoice,
  receipt: wishes.includes('receipt') ? null : invoice.receipt,
  savesMethod: invoice.savesMethod && !wishes.includes('save_method'),
  without: [...invoice.without, ...wishes],
})

/** The idempotency key of an invoice: a request without some of its wishes is another request. */
export const keyWithout = (key: string, { without }: Pick<InvoiceToPay, 'without'>): string =>
  [key, ...without.toSorted()].join('-')

/** An invoice as a processor has made it. */
export interface MadeInvoice {
  externalId: string
  paymentUrl: string
  /** The wishes that the processor refused, and without which it then made the invoice. */
  refused: Wish[]
  /** The processor's reason for the refusal; null: no wish was refused. */
  reason: string | null
}

/**
 * Makes an invoice at its processor. When the processor refuses it, the invoice is requested again without
 * each of its optional wishes, then without all of them. Throws the first `ProcessorFault` when every request
 * is refused.
 */
export async function makeAtProcessor(method: PaymentMethod, invoice: InvoiceToPay): Promise<MadeInvoice> {
  const wishes = (method.wishes ?? []).filter(
    (wish) => !invoice.without.includes(wish) && isWished(invoice, wish),
  )
  const attempts = [[], ...wishes.map((wish) => [wish]), ...(wishes.length > 1 ? [wishes] : [])]
  let first: ProcessorFault | null = null
  for (const refused of attempts) {
    try {
      const made = await method.create(dropped(invoice, refused))
      return { ...made, refused, reason: first?.message ?? null }
    } catch (error) {
      if (!(error instanceof ProcessorFault) || !mayBeOf(error, wishes)) throw first ?? error
      first ??= error
    }
  }
  throw first ?? new Error('no attempt was made')
}

/**
 * After this time a refused wish is requested again, since the processor may have enabled it for the shop.
 */
const retryMs = 7 * 24 * 60 * 60_000

/** The wishes that a processor refuses to the shop at present. */
export async function refusedWishes(db: Kysely<DB>, method: string, now: Date): Promise<Wish[]> {
  const rows = await db
    .selectFrom('refused_wish')
    .select('wish')
    .where('method', '=', method)
    .where('refused_at', '>', new Date(now.getTime() - retryMs))
    .where('refused_at', '<=', now)
    .orderBy('wish')
    .execute()
  return rows.map(({ wish }) => wish as Wish)
}

/** All wishes that processors have refused and not accepted since, for staff. */
export async function listRefusedWishes(db: Kysely<DB>): Promise<{ method: string; wish: Wish }[]> {
  const rows = await db
    .selectFrom('refused_wish')
    .select(['method', 'wish'])
    .orderBy('method')
    .orderBy('wish')
    .execute()
  return rows.map(({ method, wish }) => ({ method, wish: wish as Wish }))
}

/** Notes which wishes a processor refused with an invoice, and that it accepted the others. */
export async function noteWishes(
  tx: Transaction<DB>,
  { method, invoice, made }: { method: PaymentMethod; invoice: InvoiceToPay; made: MadeInvoice },
  now: Date,
): Promise<void> {
  const accepted = (method.wishes ?? []).filter(
    (wish) => !invoice.without.includes(wish) && !made.refused.includes(wish) && isWished(invoice, wish),
  )
  for (const wish of made.refused)
    await sql`
      insert into refused_wish (method, wish, refused_at, reason)
      values (${method.name}, ${wish}, ${now}, ${made.reason ?? ''})
      on conflict (method, wish) do update set refused_at = excluded.refused_at, reason = excluded.reason`.execute(
      tx,
    )
  if (accepted.length > 0)
    await tx
      .deleteFrom('refused_wish')
      .where('method', '=', method.name)
      .where('wish', 'in', accepted)
      .execute()
}
