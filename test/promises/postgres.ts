/** An operator's own PostgreSQL: a server of a test, to be stopped, killed and started again at will. */
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { installedNative, usableNative } from '../../src/db/native.ts'
import { nobody, ourselves, permitted, type RunAs, run, start } from '../../src/db/run-as.ts'
import { freePort, until } from '../stack.ts'

/** Whose binaries: those that come with Turnpike, or those of the machine's own packages. */
export interface Kind {
  name: string
  /** The folder of its programs. */
  bin: () => Promise<string>
}

/** PostgreSQL refuses to be root. */
const asRoot = () => permitted({ uid: nobody, gid: nobody, wrapper: [] })

const shipped: Kind = {
  name: 'the PostgreSQL that comes along',
  bin: async () => path.join(await usableNative(installedNative(), asRoot()), 'bin'),
}

/** Debian's and Ubuntu's packages, the newest first; `bootstrap/postgres.mjs` installs one where it may. */
const packaged = '/usr/lib/postgresql'

const installed: Kind[] = (existsSync(packaged) ? readdirSync(packaged) : [])
  .filter((version) => existsSync(path.join(packaged, version, 'bin/postgres')) && Number(version) >= 15)
  .toSorted((a, b) => Number(b) - Number(a))
  .slice(0, 1)
  .map((version) => ({
    name: `PostgreSQL ${version} of the distribution`,
    bin: () => Promise.resolve(path.join(packaged, version, 'bin')),
  }))

/** The servers that there are on this machine. */
export const kinds: Kind[] = [shipped, ...installed]

export interface Postgres {
  url: string
  /** Stops it as `pg_ctl stop -m immediate` does. */
  halt: () => Promise<void>
  start: () => Promise<void>
  close: () => Promise<void>
}

export async function startPostgres(kind: Kind = shipped): Promise<Postgres> {
  const bin = await kind.bin()
  const as: RunAs = process.geteuid?.() === 0 ? asRoot() : ourselves
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-postgres-'))
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  const port = await freePort()
  const made = await run(
    as,
    path.join(bin, 'initdb'),
    ['-D', folder, '-U', 'turnpike', '-A', 'trust', '--no-sync'],
    {
      cwd: folder,
    },
  )
  if (made.status !== 0) throw new Error(`initdb of ${kind.name}: ${made.output}`)
  const url = `postgresql://turnpike@127.0.0.1:${port}/postgres`
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'max_connections=150',
    'max_parallel_workers_per_gather=0',
  ].flatMap((setting) => ['-c', setting])
  let child: ReturnType<typeof start> | null = null
  const end = async (signal: NodeJS.Signals) => {
    const running = child
    child = null
    if (running === null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill(signal)
    await ended
  }
  const server: Postgres = {
    url,
    halt: () => end('SIGQUIT'),
    start: async () => {
      child = start(as, path.join(bin, 'postgres'), ['-D', folder, ...settings], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child.stdout?.resume()
      child.stderr?.resume()
      await until(() => answers(url), 30_000, `${kind.name} to answer`)
    },
    close: async () => {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
