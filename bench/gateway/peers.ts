/**
 * The proxies that Turnpike is compared with, each as its own packages configure it for this purpose: a
 * password where supported, no cache, no request log, the maximum number of connections.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { freePort } from '#test/ports'
import type { Proxy } from './client.ts'
import { family } from './processes.ts'

export interface Peer {
  name: string
  version: string
  proxy: Proxy
  /** Whether the proxy supports tunnels, and plain HTTP requests. */
  tunnels: boolean
  requests: boolean
  /** The proxy closes the client's connection after every answer. */
  closes?: true
  pids: () => number[]
  stop: () => Promise<void>
}

const login = { user: 'bench', password: 'secret' }

interface Recipe {
  /** The program's path in the package. */
  program: string
  install: string
  version: string[]
  protocol: 'connect' | 'socks5'
  tunnels: boolean
  requests: boolean
  /** The proxy requires no password. */
  open?: true
  /** The proxy closes the client's connection after every answer. */
  closes?: true
  /** Writes the program's configuration; returns its arguments. */
  prepare: (where: Place & { port: number }) => string[]
}

export interface Place {
  folder: string
  targetPort: number
  /** Another HTTP proxy behind the peer; `standby`: how many connections to it are opened in advance. */
  parent?: { port: number; username: string; password: string; standby: number }
  /** The target's ports that are reached through the parent; all when left out. */
  chainedPorts?: number[]
}

function squidParent(
  { port, username, password, standby }: NonNullable<Place['parent']>,
  chainedPorts: number[] | undefined,
): string[] {
  const options = `no-query no-digest default login=${username}:${password}`
  return [
    `cache_peer 127.0.0.1 parent ${port} 0 ${options}${standby > 0 ? ` standby=${standby}` : ''}`,
    ...(chainedPorts === undefined
      ? ['never_direct allow all']
      : [
          `acl chained port ${chainedPorts.join(' ')}`,
          'never_direct allow chained',
          'always_direct allow !chained',
        ]),
  ]
}

const file = (folder: string, name: string, lines: string[]): string => {
  const whole = path.join(folder, name)
  writeFileSync(whole, `${lines.join('\n')}\n`, { mode: 0o644 })
  return whole
}

const recipes: Record<string, Recipe> = {
  squid: {
    program: '/usr/sbin/squid',
    install: 'apt-get install squid',
    version: ['-v'],
    protocol: 'connect',
    tunnels: true,
    requests: true,
    prepare: ({ folder, port, parent, chainedPorts }) => {
      const crypted = execFileSync('openssl', ['passwd', '-1', login.password]).toString().trim()
      const passwords = file(folder, 'squid.passwords', [`${login.user}:${crypted}`])
      const config = file(folder, 'squid.conf', [
        `http_port 127.0.0.1:${port}`,
        `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${passwords}`,
        'auth_param basic credentialsttl 2 hours',
        'acl known proxy_auth REQUIRED',
        'http_access allow known',
        'http_access deny all',
        'cache deny all',
        'access_log none',
        'cache_store_log none',
        `cache_log ${folder}/squid.log`,
        `pid_filename none`,
        `coredump_dir ${folder}`,
        'forwarded_for delete',
        'via off',
        'shutdown_lifetime 1 second',
        'max_filedescriptors 65536',
        'pinger_enable off',
        // The bench's name server; the cache has as many names as Turnpike's.
        'dns_nameservers 127.0.0.1',
        'ipcache_size 20000',
        ...(parent === undefined ? [] : squidParent(parent, chainedPorts)),
      ])
      return ['-N', '-f', config]
    },
  },
  tinyproxy: {
    program: '/usr/bin/tinyproxy',
    install: 'apt-get install tinyproxy-bin',
    closes: true,
    version: ['-v'],
    protocol: 'connect',
    tunnels: true,
    requests: true,
    prepare: ({ folder, port }) => [
      '-d',
      '-c',
      file(folder, 'tinyproxy.conf', [
        `Port ${port}`,
        'Listen 127.0.0.1',
        `BasicAuth ${login.user} ${login.password}`,
        'MaxClients 20000',
        'Timeout 600',
        'LogLevel Critical',
        `LogFile "${folder}/tinyproxy.log"`,
      ]),
    ],
  },
  dante: {
    program: '/usr/sbin/danted',
    install: 'apt-get install dante-server',
    version: ['-v'],
    protocol: 'socks5',
    tunnels: true,
    requests: false,
    // This proxy checks the passwords of system users, and the bench creates no system users.
    open: true,
    prepare: ({ folder, port }) => [
      '-f',
      file(folder, 'danted.conf', [
        `errorlog: ${folder}/danted.log`,
        `internal: 127.0.0.1 port = ${port}`,
        'external: 127.0.0.1',
        'clientmethod: none',
        'socksmethod: none',
        'user.privileged: root',
        'user.unprivileged: nobody',
        'client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }',
        'socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 command: connect }',
      ]),
      '-p',
      path.join(folder, 'danted.pid'),
    ],
  },
  microsocks: {
    program: '/usr/bin/microsocks',
    install: 'apt-get install microsocks',
    version: [],
    protocol: 'socks5',
    tunnels: true,
    requests: false,
    prepare: ({ port }) => `-i 127.0.0.1 -p ${port} -u ${login.user} -P ${login.password}`.split(' '),
  },
  haproxy: {
    program: '/usr/sbin/haproxy',
    install: 'apt-get install haproxy',
    version: ['-v'],
    protocol: 'connect',
    // It does not support CONNECT: it is included for the cost of a request to the one server it is
    // configured for.
    tunnels: false,
    requests: true,
    prepare: ({ folder, port, targetPort }) => [
      '-db',
      '-f',
      file(folder, 'haproxy.cfg', [
        'global',
        '  maxconn 9000',
        'defaults',
        '  mode http',
        '  option http-use-proxy-header',
        '  timeout connect 5s',
        '  timeout client 600s',
        '  timeout server 600s',
        'userlist people',
        `  user ${login.user} insecure-password ${login.password}`,
        'frontend entry',
        `  bind 127.0.0.1:${port}`,
        '  acl known http_auth(people)',
        '  http-request auth unless known',
        '  default_backend target',
        'backend target',
        `  server target 127.0.0.1:${targetPort}`,
      ]),
    ],
  },
  'proxy-chain': {
    program: process.execPath,
    install: 'npm install',
    version: [],
    protocol: 'connect',
    tunnels: true,
    requests: true,
    prepare: ({ port, parent, chainedPorts = [] }) => {
      const chain =
        parent === undefined
          ? []
          : [
              `http://${parent.username}:${parent.password}@127.0.0.1:${parent.port}`,
              ...chainedPorts.map(String),
            ]
      return [path.join(import.meta.dirname, 'proxy-chain.ts'), String(port), ...chain]
    },
  },
}

export const peerNames = Object.keys(recipes)

/** A peer that is not running. */
class PeerFault extends Error {}

/**
 * Starts a peer; null, with a line that gives the reason, when its program is not installed or does not
 * start.
 */
export async function startPeer(name: string, place: Place): Promise<Peer | null> {
  const recipe = recipes[name]
  if (recipe === undefined) throw new Error(`there is no peer ${name}, only ${peerNames.join(', ')}`)
  if (!existsSync(recipe.program)) {
    console.log(`${name} is not installed, so it is left out: ${recipe.install}`)
    return null
  }
  const port = await freePort()
  const child = spawn(recipe.program, recipe.prepare({ ...place, port }), {
    // Their output per connection is discarded.
    stdio: 'ignore',
    // Node resolves names in its thread pool: four at a time unless told otherwise.
    env: { ...process.env, UV_THREADPOOL_SIZE: '64' },
  })
  try {
    await listens(child, port, name)
  } catch (fault) {
    await stop(child)
    if (!(fault instanceof PeerFault)) throw fault
    console.log(`${name} does not start, so it is left out`)
    return null
  }
  return {
    name,
    version: versionOf(name, recipe),
    proxy: { protocol: recipe.protocol, ports: [port], logins: [login], ...(recipe.open && { open: true }) },
    tunnels: recipe.tunnels,
    requests: recipe.requests,
    ...(recipe.closes && { closes: true }),
    pids: () => family(child.pid ?? 0),
    stop: () => stop(child),
  }
}

function versionOf(name: string, { program, version }: Recipe): string {
  if (version.length === 0) return name === 'proxy-chain' ? `on Node ${process.version}` : ''
  const [line = ''] = execFileSync(program, version, { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .split('\n')
  return /\d+(\.\d+)+/.exec(line)?.[0] ?? ''
}

async function listens(child: ChildProcess, port: number, name: string): Promise<void> {
  const deadline = performance.now() + 15_000
  for (;;) {
    if (child.exitCode !== null || performance.now() > deadline) throw new PeerFault(`${name} does not start`)
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const killer = setTimeout(() => child.kill('SIGKILL'), 5000)
    child.once('exit', () => {
      clearTimeout(killer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}
