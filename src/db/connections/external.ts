import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, isConnectionLost } from './errors.ts'
import { connect, type DatabaseClient } from './client.ts'
import { isPooledByTransaction } from './pooler.ts'
import { parseServers, readUrl, Servers } from './servers.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const oldest = 15

/**
 * Errors of a server that may be available soon: containers and machines start in any order, and a failover
 * takes some time.
 */
const notYet = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOENT',
  '25006',
])

/**
 * Opens the operator's own PostgreSQL. Waits a little for a server that is still starting, or for the
 * election of a primary. Refuses, with a sentence without the password, a server that cannot be reached,
 * refuses the login, is too old, or is behind a pooler that pools by transaction or statement.
 */
export async function external(
  url: string,
  { patienceMs = 15_000 } = {},
): Promise<{ url: string; servers: Servers; close: () => Promise<void> }> {
  const urls = parseServers(url, 'DATABASE_URL')
  const servers = new Servers(urls, { mustBePrimary: true })
  const where = describe(urls)
  const connecting = { servers, applicationName: 'turnpike start' }
  const deadline = performance.now() + patienceMs
  for (;;) {
    let client: DatabaseClient | undefined
    try {
      client = await connect(connecting)
      await checkVersion(client, where)
      if (await isPooledByTransaction(client, () => connect(connecting)))
        throw new DatabaseUnavailable(`${pooler(where)} It gives every transaction another session.`)
      return { url, servers, close: () => Promise.resolve() }
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      if (errorCode(error) === '08P01' && /startup parameter/.test(reason(error)))
        throw new DatabaseUnavailable(`${pooler(where)} It says: ${reason(error)}.`)
      const isWorthWaiting = notYet.has(errorCode(error) ?? '') || isConnectionLost(error)
      if (!isWorthWaiting || performance.now() > deadline)
        throw new DatabaseUnavailable(`The PostgreSQL at ${where} cannot be used: ${reason(error)}.`)
    } finally {
      await client?.end()
    }
    await sleep(250)
  }
}

async function checkVersion(client: DatabaseClient, where: string): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  )
  const version = rows[0]?.version ?? ''
  if (Number.parseInt(version, 10) < oldest)
    throw new DatabaseUnavailable(
      `The PostgreSQL at ${where} is version ${version}; ${oldest} or newer is needed.`,
    )
}

const pooler = (where: string) =>
  `There is a pooler such as PgBouncer at ${where}, in a mode that Turnpike cannot use: LISTEN, locks of a session and prepared statements need a session of their own. Point DATABASE_URL at PostgreSQL itself, or let the pooler pool sessions (pool_mode = session).`

/** The servers and the database, without the login. */
function describe(urls: readonly string[]): string {
  const parsed = urls.map(readUrl)
  const hosts = parsed.map((one) => one?.searchParams.get('host') ?? one?.host)
  return `${hosts.join(',')}${parsed[0]?.pathname} (DATABASE_URL)`
}

/** A host with several IP addresses fails with one error for each; the first is reported. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
