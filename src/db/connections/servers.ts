import { DatabaseUnavailable } from './unavailable.ts'

const form = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/**
 * The addresses that a connection string stands for, one for each host: `postgresql://u:p@h1:5432,h2:5432/d` is libpq's
 * way of writing several (PostgreSQL manual 34.1.1.3), which node-postgres does not read. Throws `DatabaseUnavailable`
 * with a sentence that names the setting and holds no password.
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

/** The address of one server; without a host, as PostgreSQL permits and URL does not, it is this machine. */
export function readUrl(url: string): URL | null {
  return URL.parse(url.replace(/^([^/]*:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1localhost'))
}

/**
 * The database of a connection string and its servers, for a person to recognize: `shop on db1:5432, db2`. Without
 * login and parameters, which may be secret; throws as `parseServers` does.
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
  /** Ends it at once, whatever it is doing. */
  abandon: (reason: string) => void
  /** Ends it when it is idle, else when it is given back. */
  retire: () => void
}

export interface ServersOptions {
  /** True: a server that is in recovery is no use, and is left at once. */
  mustBePrimary: boolean
}

/**
 * The servers of one connection string, and the connections that are open to them. One server at a time is believed to be
 * right and tried first; when it fails, the next in the written order is.
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

  /** Where the next connection goes. */
  get current(): string {
    return this.urls[this.#current] ?? ''
  }

  /** The connection is open and the server is the right one: connections to others lead to a server that no longer is. */
  opened(client: Connection): void {
    this.#clients.add(client)
    this.#current = Math.max(0, this.urls.indexOf(client.url))
    for (const other of this.#clients)
      if (other.url !== client.url) other.abandon('Another server has become the primary.')
  }

  ended(client: Connection): void {
    this.#clients.delete(client)
  }

  /** No connection could be made there, or it is not the primary. */
  failed(url: string): void {
    if (url === this.current) this.#current = (this.#current + 1) % this.urls.length
  }

  /** The server does not answer any more: whoever waits for it is told. */
  abandon(reason: string): void {
    for (const client of this.#clients) client.abandon(reason)
  }

  /** The server takes no writes any more: its connections are used for nothing new. */
  retire(url: string): void {
    for (const client of this.#clients) if (client.url === url) client.retire()
  }
}
