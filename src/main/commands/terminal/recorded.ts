/** The audit trail of the command line: what a command changes is recorded with the user of this system. */
import type { Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { type Entry, record, systemAuthor } from '#staff'

type Tx = Transaction<DB>
type Known = Pick<Database, 'db' | 'clock'>

/** Makes a change and records it, in one transaction; `entryOf` makes the entry from the result of `work`. */
export function recorded<T>(
  { db, clock }: Known,
  work: (tx: Tx) => Promise<T>,
  entryOf: (result: T) => Entry,
): Promise<T> {
  return transaction(db, async (tx) => {
    const result = await work(tx)
    await record(tx, systemAuthor(), entryOf(result), clock.now())
    return result
  })
}

/** Records what was done outside of one transaction: at a processor, in files, or in many transactions. */
export const recordDone = (database: Known, entry: Entry): Promise<void> =>
  recorded(
    database,
    () => Promise.resolve(),
    () => entry,
  )
