/** An operator's own PostgreSQL: a test's server, which can be stopped, killed and started again. */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { installedNative, usableNative } from '../../src/db/native.ts'
import { nobody, ourselves, permitted, type RunAs, run, start } from '../../src/db/run-as.ts'
import { freePort } from '../ports.ts'
import { until } from '../stack.ts'

/** The source of the binaries: those included with Turnpike, or those of the machine's own packages. */
export interface Kind {
  name: string
  /** The folder of its programs. */
  bin: () => Promise<string>
}

/** PostgreSQL refuses to run as root. */
const asRoot = () => permitted({ uid: nobody, gid: nobody, wrapper: [] })

const shipped: Kind = {
  name: 'the PostgreSQL that comes along',
  bin: async () => path.join(await usableNative(installedNative(), asRoot()), 'bin'),
}

/** Debian's and Ubuntu's packages, the newest first; `test/run/programs.ts` installs one where permitted. */
const packaged = '/usr/lib/postgresql'

const installed: Kind[] = (existsSync(packaged) ? readdirSync(packaged) : [])
  .filter((version) => existsSync(path.join(packaged, version, 'bin/postgres')) && Number(version) >= 15)
  .toSorted((a, b) => Number(b) - Number(a))
  .slice(0, 1)
  .map((version) => ({
    name: `PostgreSQL ${version} of the distribution`,
    bin: () => Promise.resolve(path.join(packaged, version, 'bin')),
  }))

/** The servers available on this machine. */
export const kinds: Kind[] = [shipped, ...installed]

export interface Postgres {
  url: string
  /** Stops it like `pg_ctl stop -m immediate`. */
  halt: () => Promise<void>
  start: () => Promise<void>
  /** A replica of this server, by streaming replication. */
  replica: () => Promise<Postgres>
  /** Promotes a replica to primary. */
  promote: () => Promise<void>
  close: () => Promise<void>
}

interface Cluster {
  name: string
  bin: string
  as: RunAs
  folder: string
}

export async function startPostgres(kind: Kind = shipped): Promise<Postgres> {
  const bin = await kind.bin()
  const as: RunAs = process.geteuid?.() === 0 ? asRoot() : ourselves
  const folder = newFolder(as)
  const made = await run(
    as,
    path.join(bin, 'initdb'),
    ['-D', folder, '-U', 'turnpike', '-A', 'trust', '--no-sync'],
    {
      cwd: folder,
    },
  )
  if (made.status !== 0) throw new Error(`initdb of ${kind.name}: ${made.output}`)
  return serve({ name: kind.name, bin, as, folder })
}

function newFolder(as: RunAs): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-postgres-'))
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  return folder
}

async function serve({ name, bin, as, folder }: Cluster): Promise<Postgres> {
  const port = await freePort()
  const url = `postgresql://turnpike@127.0.0.1:${port}/postgres`
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'max_connections=150',
    'max_parallel_workers_per_gather=0',
    'wal_keep_size=256MB',
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
      await until(() => answers(url), 30_000, `${name} to answer`)
    },
    replica: async () => {
      const copy = newFolder(as)
      await copyCluster(url, { from: folder, to: copy, as })
      return serve({ name: `a replica of ${name}`, bin, as, folder: copy })
    },
    promote: () => say(url, 'select pg_promote()'),
    close: async () => {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

/** A base backup by the low-level API (PostgreSQL manual 25.3.3), which will follow its source server. */
async function copyCluster(
  url: string,
  { from, to, as }: { from: string; to: string; as: RunAs },
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('a replica of a test', true)`)
    const notOurs = new Set(['postmaster.pid', 'postmaster.opts'])
    cpSync(from, to, { recursive: true, filter: (file) => !notOurs.has(path.relative(from, file)) })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    writeFileSync(path.join(to, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
  const { hostname, port, username } = new URL(url)
  const primary = `primary_conninfo = 'host=${hostname} port=${port} user=${username}'\n`
  appendFileSync(path.join(to, 'postgresql.auto.conf'), primary)
  writeFileSync(path.join(to, 'standby.signal'), '')
  // A copied folder has the default mode, which PostgreSQL refuses.
  chmodSync(to, 0o700)
  const { uid, gid } = as
  if (uid === undefined || gid === undefined) return
  for (const name of ['', ...readdirSync(to, { recursive: true, encoding: 'utf8' })])
    chownSync(path.join(to, name), uid, gid)
}

async function say(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end().catch(() => undefined)
  }
}

const answers = (url: string): Promise<boolean> =>
  say(url, 'select').then(
    () => true,
    () => false,
  )
