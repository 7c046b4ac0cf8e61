/** Entering what a processor keeps of each payment. */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import type { PaymentMethods } from '#payments'
import { type FeeTerms, setFeeTerms } from '#purchase'
import { type Author, record } from '#staff'

/**
 * Sets the fee terms of a processor from a time on, and records it; payments that were counted keep their
 * fees. Refuses a method that the shop does not have with `unknown_method`, and one that reports its fees
 * with `fees_reported`.
 */
export function enterFeeTerms(
  db: Kysely<DB>,
  methods: PaymentMethods,
  author: Author,
  { reason, ...terms }: Omit<FeeTerms, 'setBy'> & { reason: string },
): Promise<void> {
  const { method, validFrom, percentPpm, fixedMicros, setAt } = terms
  const found = methods.find(method)
  if (found === null) throw new Refusal('unknown_method', { method })
  if (found.reportsFees === true) throw new Refusal('fees_reported', { method })
  return transaction(db, async (tx) => {
    await setFeeTerms(tx, { ...terms, setBy: author.name })
    const entry = {
      action: 'set_fee_terms',
      subject: { kind: 'rate', id: method },
      after: { valid_from: validFrom, percent_ppm: percentPpm, fixed_micros: fixedMicros },
    } as const
    await record(tx, author, { ...entry, reason }, setAt)
  })
}
