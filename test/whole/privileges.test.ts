/** The users of a shop's parts, and the permissions of the files it writes. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, type StackCustomer, startStack, until } from '#test/stack'
import { certificateFolder, type CertificateFolder, shake } from '../../src/gateway/testing/certificates.ts'
import { type Tunnel, tunnel } from './tunnel.ts'

const isRoot = process.geteuid?.() === 0
const nobody = 65534

let dataDir: string
let folder: CertificateFolder
let stack: Stack
let origin: Origin
let customer: StackCustomer
beforeAll(async () => {
  // An operator's folder that others may enter.
  dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-privileges-'))
  chmodSync(dataDir, 0o755)
  folder = certificateFolder()
  const { cert, key } = folder.make('live', ['127.0.0.1'])
  ;[stack, origin] = await Promise.all([
    startStack({ DATA_DIR: dataDir, GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key }),
    startOrigin(),
  ])
  customer = await stack.signIn()
}, 120_000)
afterAll(async () => {
  await stack.close()
  await origin.close()
  folder.remove()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Opens a tunnel to the echo and sends a greeting. */
async function visit(): Promise<Tunnel> {
  const line = await customer.proxy('residential')
  const target = { host: origin.host, port: origin.echoPort }
  const open = await tunnel({ port: stack.portBase, target, ...line })
  expect(open.status).toContain(' 200 ')
  await open.echo('hello')
  return open
}

it('files of a shop are accessible to their owner only', async () => {
  ;(await visit()).end()
  const { username, password } = { username: 'nightshift', password: 'a long password' }
  const signedUp = await fetch(`${stack.origin}/api/rpc/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, email: 'night@example.com', password }),
  })
  expect(signedUp.status).toBe(200)
  const written = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  await until(() => written().some((name) => name.endsWith('.eml')), 60_000, 'the letter to be written')
  const kinds = [
    /^secret$/,
    /^demo\.json$/,
    /^outbox\/.*\.eml$/,
    /^gateway\/.*\.journal/,
    /^gateway\/name$/,
    /^postgres\/18\/PG_VERSION$/,
  ]
  for (const kind of kinds)
    expect(
      written().some((name) => kind.test(name)),
      String(kind),
    ).toBe(true)
  const open = written().filter((name) => {
    const found = lstatSync(path.join(dataDir, name), { throwIfNoEntry: false })
    return found !== undefined && !found.isSymbolicLink() && !found.isSocket() && (found.mode & 0o077) !== 0
  })
  expect(open).toEqual([])
})

describe.runIf(isRoot)('of a shop that root runs', () => {
  /** Real, effective, saved and file-system user of a process. */
  const usersOf = (pid: number) =>
    new Set(
      /^Uid:\s+(.*)$/m
        .exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        ?.split(/\s+/)
        .map(Number),
    )
  const groupsOf = (pid: number) =>
    /^Groups:(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.trim()
  const database = () =>
    Number(readFileSync(path.join(dataDir, 'postgres/18/postmaster.pid'), 'utf8').split('\n')[0])

  it('gateway workers and the database run as separate users, none of them root or nobody', () => {
    const [worker = 0, other = 0] = stack.workers()
    const users = [usersOf(worker), usersOf(database())]
    expect(users.map((one) => one.size)).toEqual([1, 1])
    const [[gateway = 0] = [], [server = 0] = []] = users.map((one) => [...one])
    expect(usersOf(other)).toEqual(users[0])
    expect(new Set([gateway, server, 0, nobody]).size).toBe(4)
    expect(groupsOf(worker)).toBe('')
  })

  it('a worker that is killed is started again, finds its journal, and serves', async () => {
    const before = stack.workers()
    const kept = await visit()
    for (const pid of before) process.kill(pid, 'SIGKILL')
    await until(() => kept.closed(), 60_000, 'the tunnel to end')
    await until(
      () => stack.workers().filter((pid) => !before.includes(pid)).length === 2,
      60_000,
      'the workers to be started again',
    )
    await until(
      () =>
        visit().then(
          (open) => (open.end(), true),
          () => false,
        ),
      60_000,
      'a tunnel to be granted',
    )
    // One worker serves, and is not root; the other may still be, while it is being prepared.
    const asRoot = () => stack.workers().filter((pid) => usersOf(pid).has(0))
    expect(asRoot().length).toBeLessThan(2)
    await until(() => asRoot().length === 0, 60_000, 'both workers to give up root')
    expect(stack.workers()).toHaveLength(2)
  }, 60_000)

  it('a new certificate is loaded although only root can read its key', async () => {
    const shown = async () => {
      const socket = await shake(stack.portBase)
      const { fingerprint256 } = socket.getPeerCertificate()
      socket.destroy()
      return fingerprint256
    }
    const { cert, key } = folder.make('live', ['127.0.0.1'])
    chmodSync(key, 0o600)
    chmodSync(path.dirname(key), 0o700)
    const wanted = execFileSync('openssl', ['x509', '-in', cert, '-noout', '-fingerprint', '-sha256'], {
      encoding: 'utf8',
    })
    // Each worker loads it in its own time, and a connection may be taken by either.
    const isNew = async () => {
      for (let i = 0; i < 10; i++) if (!wanted.includes(await shown())) return false
      return true
    }
    await until(isNew, 60_000, 'the new certificate from both workers')
  }, 90_000)

  it('neither another user nor a worker reaches the database or its keys, and the shop continues to work', async () => {
    const [gateway = 0] = usersOf(stack.workers()[0] ?? 0)
    for (const uid of [nobody, gateway]) {
      const script = `
        for f in /proc/${database()}/cwd/PG_VERSION ${dataDir}/postgres/18/PG_VERSION ${dataDir}/secret; do cat "$f"; done
        kill -0 ${database()}`
      const child = spawn('/bin/sh', ['-c', script], {
        uid,
        gid: uid,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const [said, code] = await Promise.all([
        child.stdout.toArray(),
        new Promise((resolve) => child.once('exit', resolve)),
      ])
      expect([said.join(''), code === 0]).toEqual(['', false])
    }
    ;(await visit()).end()
  })
})
