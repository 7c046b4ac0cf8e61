import type { DatabaseClient } from './client.ts'

/** The process id that the server told when the connection was opened; a pooler makes one up. */
interface Told {
  processID: number | null
}

const backendOf = async (client: DatabaseClient, statement = 'select pg_backend_pid() as pid') =>
  (await client.query<{ pid: number }>(statement)).rows[0]?.pid

/**
 * Whether a pooler stands between us and PostgreSQL that gives every transaction whichever session is free (PgBouncer's
 * `pool_mode = transaction` or `statement`). A pooler cannot say the process id of a session that it has not chosen yet, so
 * one that is told wrong betrays it. Then two connections show whether they share a session: what one let go of is
 * what the other is given.
 */
export async function isPooledByTransaction(
  client: DatabaseClient,
  openOther: () => Promise<DatabaseClient>,
): Promise<boolean> {
  const first = await backendOf(client)
  if ((client as unknown as Told).processID === first) return false
  const other = await openOther()
  try {
    for (let round = 0; round < 5; round++) {
      const before = await backendOf(client)
      await other.query('begin')
      const taken = await backendOf(other)
      const after = await backendOf(client)
      await other.query('commit')
      if (before !== after || taken === before) return true
    }
    return false
  } finally {
    await other.end()
  }
}
