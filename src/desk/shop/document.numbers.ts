/** Numbers of documents that a restored database must not give out again. */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import { type LostNumbers, noteLostNumbers, type Series } from '#documents'
import { type Author, record } from '#staff'

/** Notes numbers as lost, and records it. Refuses as `noteLostNumbers` does. */
export function loseDocumentNumbers(
  db: Kysely<DB>,
  author: Author,
  { series, last, reason }: { series: Series; last: bigint; reason: string },
  now: Date,
): Promise<LostNumbers> {
  return transaction(db, async (tx) => {
    const lost = await noteLostNumbers(tx, { series, last }, { by: author.name, reason, at: now })
    const after = { series, first: String(lost.first), last: String(lost.last) }
    const subject = { kind: 'list', id: 'document_numbers' } as const
    await record(tx, author, { action: 'lose_document_numbers', subject, after, reason }, now)
    return lost
  })
}
