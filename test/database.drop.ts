import { setTimeout as sleep } from 'node:timers/promises'

/** What PostgreSQL says of sending away one of its own. */
const insufficientPrivilege = '42501'
const againMs = 25
const attempts = 200

/**
 * Removes a database, whoever is connected to it; `say` takes a statement to its server. A vacuum of the server's own may
 * be at work there, which may not be sent away: it is waited for some seconds, and then the end of the server is left to
 * remove both.
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
