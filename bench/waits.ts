/**
 * How long other callers wait during one person's heavy calls: `node bench/waits.ts`. The web server and the
 * desk are one process; visitors ask for the price list, one after the other, while a viewer of the desk
 * looks at banners of 1 MiB, and a customer fetches secret links of 10,000 lines, and lists of many proxy
 * users. `--seconds`, `--links` and `--users` change it. Exits with 1 when anybody waited for more than
 * `--most` milliseconds.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { generate } from 'otplib'
import { signUp } from '#accounts'
import { seedDemoCatalog } from '#catalog'
import { addBanner } from '#content'
import { type Client, createClient } from '#contract/client'
import { migrate, openDatabase, transaction } from '#db'
import { migrateJobs } from '#db/jobs'
import { proxyUserId } from '#feed/user.ids'
import { loadSecretKey, randomText, sha256 } from '#lib/secret'
import { ensureAccess, loginAlphabet } from '#proxies'
import { inviteStaff, systemAuthor } from '#staff'
import { creditTraffic, openMeter } from '#traffic'
import { Browser } from '#test/desk'
import { freePort } from '#test/ports'
import { readSettings } from '../src/main/settings/settings.ts'
import { quantiles } from './load.ts'
import { Report } from './report.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    links: { type: 'string', default: '20' },
    users: { type: 'string', default: '1000,20000' },
    most: { type: 'string', default: '250' },
  },
})
const [seconds, links, most] = [Number(values.seconds), Number(values.links), Number(values.most)]
const sizes = values.users.split(',').map(Number)
const pool = 'residential'
const password = 'a password of the bench'

const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-waits-'))
const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const deskPort = await freePort()
const settings = readSettings({ DATA_DIR: dataDir, PORT: String(port) }, dataDir)
const secrets = loadSecretKey(settings)
const database = await openDatabase({ dataDir, role: 'owner' })
const report = new Report()
let server: ChildProcess | null = null
try {
  await migrate(database)
  await migrateJobs(database.url)
  await seedDemoCatalog(database.db)
  report.machine()
  const [sharer, ...owners] = await Promise.all(
    ['bench_sharer', ...sizes.map((size) => `bench_owner_${size}`)].map(person),
  )
  for (const [index, size] of sizes.entries()) await fillUsers(owners[index]?.accessId ?? 0n, size)
  server = await startServer()
  report.table(
    [
      'Time of `prices` in milliseconds, one request after the other:',
      '',
      '| beside | requests | p50 | p99 | longest | heavy answers | refused |',
      '|---|---:|---:|---:|---:|---:|---:|',
    ].join('\n'),
  )
  await beside('nothing', [])
  const looks = await looksAtPictures()
  await beside('four looks at a time of a viewer at banners of 1 MiB', [looks, looks, looks, looks])
  const { call } = await signedIn(sharer?.username ?? '')
  await beside(`${links} fetches at a time of links of 10,000 lines`, await fetchesOf(call))
  for (const [index, size] of sizes.entries()) {
    const { token } = await signedIn(owners[index]?.username ?? '')
    const list = () => send('/api/rpc/get_proxy_users', token, JSON.stringify({ pool }))
    await beside(`four calls at a time of get_proxy_users, ${size} of them`, [list, list, list, list])
  }
  report.judge()
} finally {
  if (server !== null) await stop(server)
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/** A customer with traffic. */
async function person(username: string): Promise<{ username: string; accessId: bigint }> {
  const given = { username, email: `${username}@example.com`, password, lang: 'eng' as const }
  const { id: accountId } = await signUp(database.db, {
    ...given,
    referralCode: null,
    adminReferralCode: null,
  })
  return transaction(database.db, async (tx) => {
    const { id: accessId } = await ensureAccess(tx, secrets, { accountId, pool })
    await openMeter(tx, { accessId, accountId, pool })
    const credit = { accessId, bytes: 100_000_000_000n, part: 'paid' as const }
    await creditTraffic(tx, { ...credit, kind: 'bench', reference: `bench ${accountId}` })
    return { username, accessId }
  })
}

/** Makes proxy users, each with a sealed password, many in one statement. */
async function fillUsers(accessId: bigint, size: number): Promise<void> {
  for (let from = 0; from < size; from += 1000) {
    const rows = Array.from({ length: Math.min(1000, size - from) }, (_, index) => {
      const nr = from + index + 1
      const id = proxyUserId(accessId, BigInt(nr))
      const text = randomText(16, loginAlphabet)
      return {
        nr,
        login: `u${randomText(11, loginAlphabet)}`,
        sealed: secrets.seal(text, `proxy-user-password:${id}`).toString('hex'),
        sha256: sha256(text).toString('hex'),
      }
    })
    await sql`
      insert into proxy_user (access_id, nr, login, label, password_sealed, password_sha256)
      select ${accessId}, (r ->> 'nr')::bigint, r ->> 'login', 'user ' || (r ->> 'nr'),
        decode(r ->> 'sealed', 'hex'), decode(r ->> 'sha256', 'hex')
      from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) r`.execute(database.db)
  }
}

async function signedIn(username: string): Promise<{ token: string; call: Client }> {
  const client = (token: string | null) =>
    createClient({ baseUrl: origin, token: () => token, language: () => 'en' })
  const token = await client(null)('signin', { username, password })
  return { token, call: client(token) }
}

/** A viewer reads the list of banners and one of their pictures, whose bytes no mask can shorten. */
async function looksAtPictures(): Promise<() => Promise<boolean>> {
  const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(1_000_000, 'a')])
  const id = await addBanner(database.db, {
    alt_ru: 'a'.repeat(300),
    alt_en: 'a'.repeat(300),
    link: 'https://example.com',
    bytes,
  })
  const now = new Date()
  const { token } = await inviteStaff(database.db, systemAuthor(), { name: 'looks', role: 'viewer' }, now)
  const browser = new Browser(`http://127.0.0.1:${deskPort}`, { origin: `http://localhost:${deskPort}` })
  const { totp } = await browser.call('join_begin', { token })
  const code = await generate({ secret: totp.secret })
  await browser.call('join_finish', { token, password, factor: { kind: 'totp', code } })
  return async () => {
    await browser.call('banners', {})
    await browser.call('banner_picture', { id: String(id) })
    return true
  }
}

/** Fetches different links in turn, since each link has its own rate limit. */
async function fetchesOf(call: Client): Promise<(() => Promise<boolean>)[]> {
  const wish = {
    anonymous: 'true',
    type: 'sticky',
    protocol: 'http',
    format: 'login:password:hostname:port',
    quantity: 10_000,
    sessionttl: 10,
  } as const
  const fetches: (() => Promise<boolean>)[] = []
  for (let index = 0; index < links; index++) {
    const { number } = await call('save_preset', { pool, label: `list ${index}`, settings: wish })
    const { path: address } = await call('renew_preset_link', { number })
    fetches.push(() => send(address))
  }
  return fetches
}

async function send(address: string, token?: string, body?: string): Promise<boolean> {
  const answer = await fetch(origin + address, {
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  await answer.arrayBuffer()
  if (answer.status !== 200 && answer.status !== 429)
    throw new Error(`${address} was answered ${answer.status}`)
  return answer.status === 200
}

/** Measures the price list for some seconds, while each of the heavy calls is made again and again. */
async function beside(what: string, heavy: readonly (() => Promise<boolean>)[]): Promise<void> {
  const until = performance.now() + seconds * 1000
  const counts = { done: 0, refused: 0 }
  const greedy = heavy.map(async (send) => {
    while (performance.now() < until) {
      if (await send()) counts.done++
      else {
        counts.refused++
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  })
  const took: number[] = []
  while (performance.now() < until) {
    const sent = performance.now()
    await send('/api/rpc/prices')
    took.push(performance.now() - sent)
  }
  await Promise.all(greedy)
  const at = quantiles(took)
  const longest = Math.max(...took)
  const times = [at(0.5), at(0.99), longest].map((ms) => ms.toFixed(1))
  report.table(`| ${[what, took.length, ...times, counts.done, counts.refused].join(' | ')} |`)
  if (longest > most) report.miss(`beside ${what} a visitor waited for ${longest.toFixed(0)} ms`)
}

/** Web server and desk as a separate process, as on a dedicated machine. */
async function startServer(): Promise<ChildProcess> {
  const main = path.join(import.meta.dirname, 'waits.server.ts')
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    DESK_LISTEN: `127.0.0.1:${deskPort}`,
    DESK_URL: `http://localhost:${deskPort}`,
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
  }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the web server ended with ${code}`)))
  })
  return child
}

function stop(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null) return Promise.resolve()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  return ended
}
