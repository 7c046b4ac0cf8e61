import { setTimeout as sleep } from 'node:timers/promises'

/** PostgreSQL's error for the termination of one of its own processes. */
const insufficientPrivilege = '42501'
const againMs = 25
const attempts = 200

/**
 * Removes a database despite open connections; `say` sends a statement to its server. The server's autovacuum
 * may be running there and cannot be terminated: this waits some seconds for its end; if it runs longer, the
 * database is removed when the server ends.
 */
export async function dropDatabase(say: (statement: string) => Promise<void>, name: string): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      await say(`drop database if exists ${name} with (force)`)
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== insufficientPrivilege) throw error
      await sleep(againMs)
    }
  }
}
