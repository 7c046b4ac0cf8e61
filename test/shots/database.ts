/**
 * The database of the running shop, for what no call does: time that has passed, and jobs that are due at
 * once.
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

/** Lets the shop do a task of its schedule now. */
export const runTask = (task: string, queue: string): Promise<void> =>
  withDatabase(({ db }) => addJob(db, task, {}, { queue }))
