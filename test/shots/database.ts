/**
 * The database of the running shop, for changes that no call makes: it moves times into the past, and makes
 * jobs due at once.
 */
import { type Database, openDatabase } from '#db'
import { addJob } from '#db/jobs'

export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Makes the shop run a scheduled task now. */
export const runTask = (task: string, queue: string): Promise<void> =>
  withDatabase(({ db }) => addJob(db, task, {}, { queue }))
