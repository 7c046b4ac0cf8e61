import { DatabaseUnavailable } from './unavailable.ts'

const form = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/**
 * Splits a connection string into one address per host: `postgresql://u:p@h1:5432,h2:5432/d` is libpq's
 * syntax for several hosts (PostgreSQL manual 34.1.1.3), which node-postgres does not support. Throws
 * `DatabaseUnavailable` with a sentence that names the setting and contains no password.
 */
export function parseServers(url: string, setting: string): string[] {
  const [, scheme = '', login = '', hosts = '', rest = ''] = form.exec(url) ?? []
  const urls = hosts.split(',').map((host) => `${scheme}${login}${host}${rest}`)
  const isWhole = urls.length === 1 || hosts.split(',').every((host) => host !== '')
  if (scheme === '' || !isWhole || urls.some((one) => readUrl(one) === null))
    throw new DatabaseUnavailable(
      `${setting} is not a PostgreSQL address: it looks like postgresql://user:password@host:5432/database, or postgresql://user:password@host1:5432,host2:5432/database for several servers of which one is the primary.`,
    )
  const parameters = readUrl(urls[0] ?? '')?.searchParams
  if (parameters?.get('host')?.includes(',') === true)
    throw new DatabaseUnavailable(
      `${setting} names several servers in its parameter host: write them before the database instead, as in postgresql://user:password@host1:5432,host2:5432/database.`,
    )
  const wanted = parameters?.get('target_session_attrs') ?? null
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary')
    throw new DatabaseUnavailable(
      `${setting} asks for target_session_attrs=${wanted}: Turnpike always looks for the primary. Leave it out.`,
    )
  return urls
}

/**
 * Parses the address of one server. A missing host, which PostgreSQL permits and URL does not, means this
 * machine.
 */
export function readUrl(url: string): URL | null {
  return URL.parse(url.replace(/^([^/]*:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1localhost'))
}

/**
 * The database and servers of a connection string, for display: `shop on db1:5432, db2`. Omits login and
 * parameters, which may be secret; throws as `parseServers` does.
 */
export function describeServers(url: string, setting: string): string {
  const parsed = parseServers(url, setting).flatMap((one) => readUrl(one) ?? [])
  const hosts = parsed.map(({ host, searchParams }) => searchParams.get('host') ?? host)
  const [first] = parsed
  const database = decodeURIComponent(first?.pathname.slice(1) ?? '') || first?.username
  return `${database} on ${hosts.join(', ')}`
}

/** A connection to one of the servers. */
interface Connection {
  readonly url: string
  /** Closes it at once, failing a statement in flight. */
  abandon: (reason: string) => void
  /** Closes it when it is idle, else when it is returned to the pool. */
  retire: () => void
}

export interface ServersOptions {
  /** True: a server in recovery is not used. */
  mustBePrimary: boolean
}

/**
 * The servers of one connection string, and the open connections to them. New connections go to one current
 * server; when it fails, the next in the listed order becomes current.
 */
export class Servers {
  readonly urls: readonly string[]
  readonly mustBePrimary: boolean
  #current = 0
  readonly #clients = new Set<Connection>()

  constructor(urls: readonly string[], { mustBePrimary }: ServersOptions) {
    this.urls = urls
    this.mustBePrimary = mustBePrimary
  }

  /** The address for the next connection. */
  get current(): string {
    return this.urls[this.#current] ?? ''
  }

  /**
   * Registers an open connection to a usable server; closes connections to servers that were usable before.
   */
  opened(client: Connection): void {
    this.#clients.add(client)
    this.#current = Math.max(0, this.urls.indexOf(client.url))
    for (const other of this.#clients)
      if (other.url !== client.url) other.abandon('Another server has become the primary.')
  }

  ended(client: Connection): void {
    this.#clients.delete(client)
  }

  /** Called when the server could not be connected to, or is not the primary. */
  failed(url: string): void {
    if (url === this.current) this.#current = (this.#current + 1) % this.urls.length
  }

  /** Closes all connections, because the server has stopped answering: pending queries fail. */
  abandon(reason: string): void {
    for (const client of this.#clients) client.abandon(reason)
  }

  /** Called when the server rejected a write: its connections are not used for new work. */
  retire(url: string): void {
    for (const client of this.#clients) if (client.url === url) client.retire()
  }
}
