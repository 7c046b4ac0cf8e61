/**
 * A relay between the product and PostgreSQL that breaks connections or stops forwarding at a test's request.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'

/**
 * The handling of a message. "lost": the message never arrives, and the connection breaks. "unanswered": the
 * message arrives, its answer is discarded, and the connection breaks.
 */
export type Fate = 'lost' | 'unanswered' | 'silence'

export interface Relay {
  port: number
  /** The address of the same database through this relay. */
  urlOf: (url: string) => string
  /** Currently open connections. */
  open: () => number
  /** All connections so far. */
  made: () => number
  /** Breaks every connection. */
  cut: () => void
  /** Stops forwarding without closing, like an unplugged cable or a firewall. */
  silence: () => void
  /** Refuses new connections, or accepts them again. */
  refuse: () => Promise<void>
  accept: () => Promise<void>
  /** Directs new connections to another server. */
  leadTo: (url: string) => void
  /** The handling of the next client message that contains this text; resolves when it has arrived. */
  meet: (text: string, fate: Fate) => Promise<void>
  close: () => Promise<void>
}

interface Link {
  client: Socket
  server: Socket
  isSilent: boolean
}

interface Trap {
  text: string
  fate: Fate
  met: () => void
}

/** The host and port of a PostgreSQL address. */
function targetOf(url: string): { path: string } | { host: string; port: number } {
  const { hostname, port, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.5432` } : { host, port: Number(port || 5432) }
}

/** Starts a relay to the server of `url`, on a port of this machine. */
export async function startRelay(url: string): Promise<Relay> {
  const links = new Set<Link>()
  const traps = new Set<Trap>()
  let target = targetOf(url)
  let isSilent = false
  let made = 0

  const end = (link: Link) => {
    links.delete(link)
    link.client.resetAndDestroy()
    link.server.destroy()
  }
  const fromClient = (link: Link, bytes: Buffer) => {
    const trap = [...traps].find(({ text }) => bytes.includes(text))
    if (trap !== undefined) {
      traps.delete(trap)
      trap.met()
      if (trap.fate === 'lost') return end(link)
      if (trap.fate === 'silence') link.isSilent = true
      // Waits for the answer, so that the server has done the request, and discards it.
      else link.server.removeAllListeners('data').once('data', () => end(link))
    }
    if (!link.isSilent) link.server.write(bytes)
  }
  const accept = (client: Socket) => {
    made++
    const link: Link = { client, server: connect(target), isSilent }
    links.add(link)
    client.setNoDelay(true)
    client.on('data', (bytes) => fromClient(link, bytes))
    link.server.on('data', (bytes) => {
      if (!link.isSilent) client.write(bytes)
    })
    for (const socket of [client, link.server]) {
      socket.on('error', () => undefined)
      socket.once('close', () => {
        if (!link.isSilent) end(link)
      })
    }
  }

  const listen = async (port: number) => {
    const made = createServer(accept)
    made.listen(port, '127.0.0.1')
    await once(made, 'listening')
    return made
  }
  let server: Server | null = await listen(0)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const cut = () => {
    for (const link of links) end(link)
  }
  const refuse = async () => {
    const closing = server
    server = null
    if (closing !== null) await new Promise((resolve) => closing.close(resolve))
  }
  return {
    port,
    urlOf: (of) => {
      const through = new URL(of)
      through.searchParams.delete('host')
      through.hostname = '127.0.0.1'
      through.port = String(port)
      return through.href
    },
    open: () => links.size,
    made: () => made,
    cut,
    silence: () => {
      isSilent = true
      for (const link of links) link.isSilent = true
    },
    refuse: async () => {
      const refused = refuse()
      cut()
      await refused
    },
    accept: async () => {
      isSilent = false
      server ??= await listen(port)
    },
    leadTo: (other) => (target = targetOf(other)),
    meet: (text, fate) => new Promise((resolve) => traps.add({ text, fate, met: resolve })),
    close: async () => {
      const closed = refuse()
      cut()
      await closed
    },
  }
}
