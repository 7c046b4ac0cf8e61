import type { DatabaseClient } from './client.ts'

/** The backend's process id, as announced when the connection was opened; a pooler makes one up. */
interface AnnouncedBackend {
  processID: number | null
}

const backendOf = async (client: DatabaseClient, statement = 'select pg_backend_pid() as pid') =>
  (await client.query<{ pid: number }>(statement)).rows[0]?.pid

/**
 * Whether the connection goes through a pooler that assigns sessions by transaction (PgBouncer's `pool_mode =
 * transaction` or `statement`). A pooler announces a process id before it has chosen a session, so an
 * announced id that differs from the real one reveals a pooler. Then two connections are used in turn: when
 * one gets the session that the other has just released, sessions are not its own.
 */
export async function isPooledByTransaction(
  client: DatabaseClient,
  openOther: () => Promise<DatabaseClient>,
): Promise<boolean> {
  const first = await backendOf(client)
  if ((client as unknown as AnnouncedBackend).processID === first) return false
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
