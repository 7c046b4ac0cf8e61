import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { errorCode, isConnectionLost } from './admin.ts'
import { clientConfig } from './pool.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const oldest = 15

/** Not there yet rather than wrong: containers and machines start in any order. */
const notYet = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT'])

/**
 * The operator's own PostgreSQL. Waits a little for a server that is still starting; refuses, in a sentence without the
 * password, one that cannot be reached, does not let us in, or is too old.
 */
export async function external(
  url: string,
  { patienceMs = 15_000 } = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  const where = describe(url)
  const deadline = performance.now() + patienceMs
  for (;;) {
    const client = new pg.Client(clientConfig(url, 'turnpike start'))
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ version: string }>(
        `select current_setting('server_version') as version`,
      )
      const version = rows[0]?.version ?? ''
      if (Number.parseInt(version, 10) >= oldest) return { url, close: () => Promise.resolve() }
      throw new DatabaseUnavailable(
        `The PostgreSQL at ${where} is version ${version}; ${oldest} or newer is needed.`,
      )
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      const isWorthWaiting = notYet.has(errorCode(error) ?? '') || isConnectionLost(error)
      if (!isWorthWaiting || performance.now() > deadline)
        throw new DatabaseUnavailable(`The PostgreSQL at ${where} cannot be used: ${reason(error)}.`)
    } finally {
      await client.end()
    }
    await sleep(250)
  }
}

function describe(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw new DatabaseUnavailable(
      'DATABASE_URL is not a PostgreSQL address: it looks like postgresql://user:password@host:5432/database.',
    )
  return `${parsed.searchParams.get('host') ?? parsed.host}${parsed.pathname} (DATABASE_URL)`
}

/** An address with several IPs fails with one error for each; the first says enough. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
