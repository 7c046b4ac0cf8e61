/**
 * A cluster of three PostgreSQL under Debian's Patroni, with etcd and HAProxy, on ports of this machine, with the
 * settings in ops/.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { parse, stringify } from 'yaml'
import { postmasterPid } from '../../src/db/server-process.ts'
import { freePort, until } from '../stack.ts'

const settings = (name: string) => path.join(import.meta.dirname, '../../ops/patroni', name)
const password = 'known to the test alone'

interface Node {
  name: string
  port: number
  restPort: number
  folder: string
  patroni: ChildProcess
}

export interface Cluster {
  /** All servers; Turnpike finds the primary itself. */
  url: string
  /** The primary through HAProxy. */
  proxiedUrl: string
  /** kill -9 of the primary and of its Patroni, which is started again when another server has taken over. */
  killPrimary: () => Promise<void>
  /** Switches the primary over to another server. */
  switchover: () => Promise<void>
  /** Waits until there are a primary and two replicas. */
  whole: () => Promise<void>
  close: () => Promise<void>
}

/** Programs that refuse to run as root. */
const postgres = {
  uid: Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })),
  gid: Number(execFileSync('id', ['-g', 'postgres'], { encoding: 'utf8' })),
}

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-ha-'))
  chownSync(folder, postgres.uid, postgres.gid)
  const children = new Set<ChildProcess>()
  const launch = (program: string, parameters: string[]) => {
    const log = openSync(path.join(folder, `${path.basename(program)}.log`), 'a')
    const child = spawn(program, parameters, {
      ...postgres,
      cwd: folder,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['ignore', log, log],
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const etcdPort = await freePort()
  const etcd = `http://127.0.0.1:${etcdPort}`
  const peer = `http://127.0.0.1:${await freePort()}`
  launch('/usr/bin/etcd', [
    '--enable-v2=true',
    `--data-dir=${path.join(folder, 'etcd')}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ])
  await until(() => answers(`${etcd}/health`), 30_000, 'etcd')
  const start = (node: Omit<Node, 'patroni'>): Node => ({
    ...node,
    patroni: launch('/usr/bin/patroni', [path.join(node.folder, 'patroni.yml')]),
  })
  const nodes: Node[] = []
  for (const name of ['db1', 'db2', 'db3']) {
    const node = { name, port: await freePort(), restPort: await freePort(), folder: path.join(folder, name) }
    mkdirSync(node.folder, { mode: 0o700 })
    writeFileSync(path.join(node.folder, 'patroni.yml'), patroniSettings(node, etcdPort))
    for (const file of ['', 'patroni.yml'])
      chownSync(path.join(node.folder, file), postgres.uid, postgres.gid)
    nodes.push(start(node))
  }
  const proxyPort = await freePort()
  const proxySettings = path.join(folder, 'haproxy.cfg')
  writeFileSync(proxySettings, haproxySettings(nodes, proxyPort))
  launch('/usr/sbin/haproxy', ['-f', proxySettings, '-db'])
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const login = `postgres:${encodeURIComponent(password)}`
  const whole = async () => {
    await until(() => isWhole(nodes), 120_000, `the cluster in ${folder} to be whole`)
  }
  const close = async () => {
    for (const child of children) child.kill('SIGKILL')
    // A server survives the end of its Patroni.
    for (const node of nodes) endServer(node)
    await until(() => children.size === 0 && !nodes.some(isServing), 30_000, 'the cluster to end')
    rmSync(folder, { recursive: true, force: true })
  }
  const cluster: Cluster = {
    url: `postgresql://${login}@${hosts}/postgres`,
    proxiedUrl: `postgresql://${login}@127.0.0.1:${proxyPort}/postgres`,
    killPrimary: async () => {
      const primary = await primaryOf(nodes)
      primary.patroni.kill('SIGKILL')
      endServer(primary)
      const others = nodes.filter((node) => node !== primary)
      await until(async () => (await primaries(others)).length === 1, 60_000, 'another primary')
      nodes[nodes.indexOf(primary)] = start(primary)
    },
    switchover: async () => {
      const primary = await primaryOf(nodes)
      const answer = await fetch(`http://127.0.0.1:${primary.restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: primary.name }),
      })
      if (!answer.ok) throw new Error(`Patroni refused to switch over: ${await answer.text()}`)
    },
    whole,
    close,
  }
  try {
    await whole()
  } catch (error) {
    await close()
    throw error
  }
  return cluster
}

const clusterOf = ({ folder }: Pick<Node, 'folder'>) => path.join(folder, 'data')
const isServing = (node: Node) => postmasterPid(clusterOf(node)) !== undefined

/** kill -9 of a node's PostgreSQL. */
function endServer(node: Node): void {
  const pid = postmasterPid(clusterOf(node))
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}

/** The settings documented for operators, with the addresses and folders of this test. */
function patroniSettings({ name, port, restPort, folder }: Omit<Node, 'patroni'>, etcdPort: number): string {
  const given = parse(readFileSync(settings('patroni.yml'), 'utf8'))
  const rest = `127.0.0.1:${restPort}`
  const address = `127.0.0.1:${port}`
  const { authentication, pg_hba: rules } = given.postgresql
  for (const who of Object.values<{ password: string }>(authentication)) who.password = password
  return stringify({
    ...given,
    name,
    etcd: { hosts: [`127.0.0.1:${etcdPort}`] },
    restapi: { listen: rest, connect_address: rest },
    postgresql: {
      ...given.postgresql,
      listen: address,
      connect_address: address,
      data_dir: clusterOf({ folder }),
      parameters: { unix_socket_directories: folder },
      pgpass: path.join(folder, 'pgpass'),
      // No TLS between ports of one machine.
      pg_hba: rules.map((rule: string) =>
        rule.replace('hostssl', 'host').replace('10.0.0.0/24', '127.0.0.1/32'),
      ),
    },
  })
}

function haproxySettings(nodes: readonly Node[], proxyPort: number): string {
  let text = readFileSync(settings('haproxy.cfg'), 'utf8').replaceAll(
    '127.0.0.1:5000',
    `127.0.0.1:${proxyPort}`,
  )
  for (const { name, port, restPort } of nodes)
    text = text.replace(
      new RegExp(`server ${name} .*`),
      `server ${name} 127.0.0.1:${port} check port ${restPort}`,
    )
  return text
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  )

async function primaries(nodes: readonly Node[]): Promise<Node[]> {
  const are = await Promise.all(nodes.map(({ restPort }) => answers(`http://127.0.0.1:${restPort}/primary`)))
  return nodes.filter((_, index) => are[index] === true)
}

async function primaryOf(nodes: readonly Node[]): Promise<Node> {
  const [primary] = await primaries(nodes)
  if (primary === undefined) throw new Error('there is no primary')
  return primary
}

/** The second server must be registered with Patroni: without one that has every commit it allows no failover. */
async function isWhole(nodes: readonly Node[]): Promise<boolean> {
  const [primary] = await primaries(nodes)
  const synchronous = await Promise.all(
    nodes.map(({ restPort }) => answers(`http://127.0.0.1:${restPort}/synchronous`)),
  )
  if (primary === undefined || !synchronous.includes(true)) return false
  const connectionString = `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${primary.port}/postgres`
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ following: string }>(
      `select count(*) as following from pg_stat_replication where state = 'streaming'`,
    )
    return Number(rows[0]?.following) === nodes.length - 1
  } catch {
    // It has not begun yet, or is no longer the primary.
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
