/**
 * A cluster of three nodes, each with Debian's Patroni, PostgreSQL and etcd in a network of its own, and
 * HAProxy, with the settings in ops/.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { parse, stringify } from 'yaml'
import { postmasterPid } from '../../src/db/server-process.ts'
import { until } from '../stack.ts'
import { type Cut, layBridge, layNode, type NodeNetwork } from './network.ts'

const settings = (name: string) => path.join(import.meta.dirname, '../../ops/patroni', name)
const password = 'known to the test alone'
const names = ['db1', 'db2', 'db3']
const addressOf = (name: string) => `10.0.0.${names.indexOf(name) + 1}`

interface Node {
  name: string
  folder: string
  network: NodeNetwork
  patroni: ChildProcess
  etcd: ChildProcess
}

export interface Cluster {
  /** All servers; Turnpike finds the primary itself. */
  url: string
  /** The primary through HAProxy. */
  proxiedUrl: string
  /**
   * kill -9 of the primary and its Patroni, and of its etcd too as when the machine loses power; resolves
   * when another has taken over.
   */
  killPrimary: (what: 'server' | 'machine') => Promise<void>
  /** Switches the primary over to another server. */
  switchover: () => Promise<void>
  /** Cuts the primary off; resolves when another has taken over. */
  cutPrimary: (from: Cut) => Promise<void>
  /**
   * Undoes the last fault: starts what was killed, joins what was cut. Waits until there are a primary and
   * two replicas.
   */
  mend: () => Promise<void>
  close: () => Promise<void>
}

/** Programs that refuse to run as root. */
const postgres = {
  uid: Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })),
  gid: Number(execFileSync('id', ['-g', 'postgres'], { encoding: 'utf8' })),
}

/** Starts a cluster; requires a separate network namespace, since it uses the addresses of ops/. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-ha-'))
  chownSync(folder, postgres.uid, postgres.gid)
  const children = new Set<ChildProcess>()
  const launch = (words: readonly string[], within: string[]) => {
    const [program = ''] = words
    const log = openSync(path.join(folder, `${path.basename(program)}.log`), 'a')
    const [command = '', ...parameters] = [...within, ...words]
    const child = spawn(command, parameters, {
      cwd: folder,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['ignore', log, log],
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const startEtcd = ({ name, folder: home, network }: Pick<Node, 'name' | 'folder' | 'network'>) =>
    launch(etcdCommand(name, home), network.within(postgres))
  const startPatroni = ({ folder: home, network }: Pick<Node, 'folder' | 'network'>) =>
    launch(['/usr/bin/patroni', path.join(home, 'patroni.yml')], network.within(postgres))
  layBridge()
  const nodes: Node[] = []
  for (const [index, name] of names.entries()) {
    const network = await layNode(name, index + 1)
    const node = { name, network, folder: path.join(folder, name) }
    mkdirSync(node.folder, { mode: 0o700 })
    writeFileSync(path.join(node.folder, 'patroni.yml'), patroniSettings(node))
    for (const file of ['', 'patroni.yml'])
      chownSync(path.join(node.folder, file), postgres.uid, postgres.gid)
    nodes.push({ ...node, etcd: startEtcd(node), patroni: startPatroni(node) })
  }
  launch(['/usr/sbin/haproxy', '-f', settings('haproxy.cfg'), '-db'], [])
  const hosts = names.map((name) => `${addressOf(name)}:5432`).join(',')
  const login = `postgres:${encodeURIComponent(password)}`
  let undo = () => undefined as unknown
  const replaced = async (primary: Node) => {
    const others = nodes.filter((node) => node !== primary)
    await until(async () => (await primaries(others)).length === 1, 90_000, 'another primary')
  }
  const close = async () => {
    for (const child of children) child.kill('SIGKILL')
    // A server survives the end of its Patroni.
    for (const node of nodes) endServer(node)
    await until(() => children.size === 0 && !nodes.some(isServing), 30_000, 'the cluster to end')
    for (const { network } of nodes) network.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const cluster: Cluster = {
    url: `postgresql://${login}@${hosts}/postgres`,
    proxiedUrl: `postgresql://${login}@127.0.0.1:5000/postgres`,
    killPrimary: async (what) => {
      const primary = await primaryOf(nodes)
      if (what === 'machine') primary.etcd.kill('SIGKILL')
      primary.patroni.kill('SIGKILL')
      endServer(primary)
      undo = () => {
        if (what === 'machine') primary.etcd = startEtcd(primary)
        primary.patroni = startPatroni(primary)
      }
      await replaced(primary)
    },
    switchover: async () => {
      const primary = await primaryOf(nodes)
      const answer = await fetch(`${restOf(primary)}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: primary.name }),
      })
      if (!answer.ok) throw new Error(`Patroni refused to switch over: ${await answer.text()}`)
    },
    cutPrimary: async (from) => {
      const primary = await primaryOf(nodes)
      primary.network.cut(from)
      undo = () => primary.network.heal()
      await replaced(primary)
    },
    mend: async () => {
      undo()
      undo = () => undefined
      await until(() => isWhole(nodes), 180_000, `the cluster in ${folder} to be whole`)
    },
    close,
  }
  try {
    await cluster.mend()
  } catch (error) {
    await close()
    throw error
  }
  return cluster
}

/** A member of three. */
function etcdCommand(name: string, folder: string): string[] {
  const address = addressOf(name)
  return [
    '/usr/bin/etcd',
    `--name=${name}`,
    '--enable-v2=true',
    `--data-dir=${path.join(folder, 'etcd')}`,
    `--listen-client-urls=http://${address}:2379`,
    `--advertise-client-urls=http://${address}:2379`,
    `--listen-peer-urls=http://${address}:2380`,
    `--initial-advertise-peer-urls=http://${address}:2380`,
    `--initial-cluster=${names.map((each) => `${each}=http://${addressOf(each)}:2380`).join(',')}`,
  ]
}

const clusterOf = ({ folder }: Pick<Node, 'folder'>) => path.join(folder, 'data')
const isServing = (node: Node) => postmasterPid(clusterOf(node)) !== undefined

/** kill -9 of a node's PostgreSQL. */
function endServer(node: Node): void {
  const pid = postmasterPid(clusterOf(node))
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}

/** The settings documented for operators, with the name, addresses and folders of this node. */
function patroniSettings({ name, folder }: Pick<Node, 'name' | 'folder'>): string {
  const given = parse(readFileSync(settings('patroni.yml'), 'utf8'))
  const rest = `${addressOf(name)}:8008`
  const address = `${addressOf(name)}:5432`
  const { authentication, pg_hba: rules } = given.postgresql
  for (const who of Object.values<{ password: string }>(authentication)) who.password = password
  return stringify({
    ...given,
    name,
    restapi: { listen: rest, connect_address: rest },
    postgresql: {
      ...given.postgresql,
      listen: address,
      connect_address: address,
      data_dir: clusterOf({ folder }),
      parameters: { unix_socket_directories: folder },
      pgpass: path.join(folder, 'pgpass'),
      // The servers of the test have no certificates.
      pg_hba: rules.map((rule: string) => rule.replace('hostssl', 'host')),
    },
  })
}

const restOf = ({ name }: Pick<Node, 'name'>) => `http://${addressOf(name)}:8008`

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  )

async function primaries(nodes: readonly Node[]): Promise<Node[]> {
  const are = await Promise.all(nodes.map((node) => answers(`${restOf(node)}/primary`)))
  return nodes.filter((_, index) => are[index] === true)
}

async function primaryOf(nodes: readonly Node[]): Promise<Node> {
  const [primary] = await primaries(nodes)
  if (primary === undefined) throw new Error('there is no primary')
  return primary
}

/**
 * Whether there are a primary, a synchronous standby registered with Patroni, and replication to all others.
 * Without a synchronous standby, which has every commit, Patroni allows no failover.
 */
async function isWhole(nodes: readonly Node[]): Promise<boolean> {
  const [primary] = await primaries(nodes)
  const synchronous = await Promise.all(nodes.map((node) => answers(`${restOf(node)}/synchronous`)))
  if (primary === undefined || !synchronous.includes(true)) return false
  const connectionString = `postgresql://postgres:${encodeURIComponent(password)}@${addressOf(primary.name)}:5432/postgres`
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ following: string }>(
      `select count(*) as following from pg_stat_replication where state = 'streaming'`,
    )
    return Number(rows[0]?.following) === nodes.length - 1
  } catch {
    // The server has not started yet, or is no longer the primary.
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
