/**
 * Third-party proxies for tests, each as a separate process on loopback: squid, dante, microsocks,
 * proxy-chain.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Server } from 'proxy-chain'
import { freePort } from './ports.ts'

export interface Peer {
  name: string
  kind: 'http' | 'socks5'
  port: number
  /** The credentials it requires; null: none. */
  login: { username: string; password: string } | null
  stop: () => Promise<void>
}

export const peerNames = ['squid', 'danted', 'microsocks', 'proxy-chain'] as const

const login = { username: 'exit', password: 'an exit of ours' }

export function startPeer(name: (typeof peerNames)[number]): Promise<Peer> {
  if (name === 'squid') return startSquid()
  if (name === 'danted') return startDante()
  if (name === 'microsocks') return startMicrosocks()
  return startProxyChain()
}

/** Daemons that drop root privileges need a folder that any user may access. */
export function makeFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `turnpike-${name}-`))
  chmodSync(folder, 0o777)
  return folder
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

export async function launch(
  program: string,
  parameters: string[],
  port: number,
  folder?: string,
): Promise<() => Promise<void>> {
  const file =
    [`/usr/sbin/${program}`, `/usr/bin/${program}`].find((candidate) => existsSync(candidate)) ?? program
  // A separate process group: squid and dante have children, which end with it.
  const child: ChildProcess = spawn(file, parameters, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let isOver = false
  void ended.then(() => (isOver = true))
  const deadline = performance.now() + 20_000
  while (!(await isListening(port))) {
    if (isOver || performance.now() > deadline) throw new Error(`${program} does not listen:\n${said}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return async () => {
    if (!isOver && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

async function startSquid(): Promise<Peer> {
  const [folder, port] = [makeFolder('squid'), await freePort()]
  const config = path.join(folder, 'squid.conf')
  mkdirSync(path.join(folder, 'core'), { mode: 0o777 })
  const { username, password } = login
  const helper = path.join(folder, 'login')
  // Squid sends its helper one line "user password", with %20 for blanks, for every login not yet cached.
  const right = `${username} ${encodeURIComponent(password)}`
  writeFileSync(
    helper,
    `#!/bin/sh\nwhile read -r line; do if [ "$line" = "${right}" ]; then echo OK; else echo ERR; fi; done\n`,
    {
      mode: 0o755,
    },
  )
  writeFileSync(
    config,
    [
      `http_port 127.0.0.1:${port}`,
      `auth_param basic program ${helper}`,
      'auth_param basic realm squid',
      'acl known proxy_auth REQUIRED',
      'http_access allow known',
      'http_access deny all',
      'cache deny all',
      'access_log none',
      'cache_log /dev/null',
      `pid_filename ${folder}/squid.pid`,
      `coredump_dir ${folder}/core`,
      'via off',
      'forwarded_for delete',
      'shutdown_lifetime 0 seconds',
      'connect_timeout 5 seconds',
      '',
    ].join('\n'),
  )
  const stop = await launch('squid', ['-N', '-f', config], port, folder)
  return { name: 'squid', kind: 'http', port, login, stop }
}

/** Dante supports only the system's logins; it requires none here. */
async function startDante(): Promise<Peer> {
  const [folder, port] = [makeFolder('dante'), await freePort()]
  const config = path.join(folder, 'danted.conf')
  writeFileSync(
    config,
    [
      `logoutput: ${folder}/log`,
      `internal: 127.0.0.1 port = ${port}`,
      'external: lo',
      'clientmethod: none',
      'socksmethod: none',
      'user.privileged: root',
      'user.unprivileged: nobody',
      'client pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }',
      'socks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }',
      '',
    ].join('\n'),
  )
  const stop = await launch('danted', ['-f', config, '-p', `${folder}/pid`, '-N', '1'], port, folder)
  return { name: 'danted', kind: 'socks5', port, login: null, stop }
}

async function startMicrosocks(): Promise<Peer> {
  const port = await freePort()
  const parameters = ['-i', '127.0.0.1', '-p', String(port), '-u', login.username, '-P', login.password]
  const stop = await launch('microsocks', parameters, port)
  return { name: 'microsocks', kind: 'socks5', port, login, stop }
}

async function startProxyChain(): Promise<Peer> {
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: ({ username, password }) => ({
      requestAuthentication: username !== login.username || password !== login.password,
    }),
  })
  await server.listen()
  return {
    name: 'proxy-chain',
    kind: 'http',
    port: server.port,
    login,
    stop: () => server.close(true).then(() => undefined),
  }
}
