/**
 * Fuzzing of every call: input that its schema accepts, input close to it, and malformed requests. For all of
 * them the server answers within five seconds, never with an internal error; an error has the common shape
 * and the sentence of its code in the requested language; and a refused request has changed nothing.
 *
 * The requests are the same in each run; `FUZZ_SEED` makes others, `FUZZ_EFFORT` multiplies their number, and
 * `npm run test:long` makes all of them: each naughty text in every field, of which `npm test` tries a tenth.
 */
import { Agent, request } from 'node:http'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accountCalled } from '#accounts'
import { addBanner } from '#content'
import { contract } from '#contract/contract'
import { isRefusalCode, sentence } from '#contract/refusals'
import { type Name, wire } from '#contract/wire'
import { securityWire, sessionsWire } from '#contract/account-security/calls'
import { accountsWire, emailWire, telegramWire } from '#contract/accounts/calls'
import { personWire } from '#contract/personal-data/calls'
import { loadInventory } from '#inventory'
import { createCode } from '#promo'
import { type App, app, type Customer } from '#test/app'
import { openSession } from '../src/accounts/signin/session.ts'
import { languageOf } from '../src/http/errors.ts'
import { sized } from './size.ts'
import { breaches, calls, type Likely, type Shot, sweep } from './fuzz/arbitrary.ts'
import { type Digest, digestOf } from './fuzz/digest.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_517)
const effort = Number(process.env['FUZZ_EFFORT'] ?? 1)
const tooLateMs = 5000

let shop: App
let customer: Customer
let accountId: bigint
let digest: () => Promise<Digest>
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Values with which some requests get past validation. */
const likely: Likely = {
  pool: Array.from({ length: 6 }, () => 'residential'),
  username: ['fuzzed_one', 'fuzzed_two', 'fuzzed_one@example.com'],
  email: ['fuzzed_one@example.com', 'new@example.com'],
  password: ['password of fuzzed_one', 'long enough'],
  old_password: ['password of fuzzed_one'],
  new_password: ['password of fuzzed_one', 'short'],
  p_code: ['123456', '000000', '12345'],
  code: ['SPRING', 'spring', 'HELLO', 'WINTER'],
  promocode: ['SPRING', 'HELLO', ' '],
  payment_method: ['sandbox', 'crypto', 'card'],
  amount: ['1', '5', '100', '99999999', '0'],
  quantity: ['1', '10', '10000', '10001', ''],
  sessionttl: ['0', '30', '10001'],
  anonymous: ['true', 'false'],
  countries: ['us', 'de', 'US', 'zz'],
  states: ['us_ca', 'us_ny'],
  cities: ['us_ca_fresno'],
  zipcodes: ['93701'],
  included_asns: ['7018', 'AS7018'],
  excluded_asns: ['7018', 'AS3320'],
  ip: ['203.0.113.7', '198.51.100.1', '10.0.0.1', '::ffff:1.2.3.4'],
  id: ['1', '2', '99999999999999999999'],
  number: ['0123456789abcdef0123'],
  provider: ['gateway', 'gateway', 'gateway', 'acme'],
}

beforeAll(async () => {
  // All requests are one customer's: the code behind the rate limit is tested here.
  shop = await app({ accountPace: { perSecond: 1e6, atOnce: 1e6 } })
  const { db } = shop.database
  const place = { state: 'us_ca', city: 'us_ca_fresno', zip: '93701', asn: 7018 }
  await loadInventory(
    shop.database,
    { name: 'fuzz', kind: 'import' },
    {
      rows: [{ pool: 'residential', country: 'us', ...place, count: 5 }],
      names: () => ({ places: [], networks: [] }),
    },
  )
  const open = { maxUses: null, expiresAt: null }
  await createCode(db, {
    code: 'SPRING',
    grant: { kind: 'discount', discountPpm: 200_000, minGb: 1n },
    ...open,
  })
  await createCode(db, {
    code: 'HELLO',
    grant: { kind: 'traffic', pool: 'mobile', bytes: 1_000_000n },
    ...open,
  })
  await addBanner(db, {
    alt_ru: 'Fuzz',
    alt_en: 'Fuzz',
    link: '/purchase',
    bytes: Buffer.from('GIF89a\x01\0\x01\0', 'latin1'),
  })
  customer = await shop.customer('fuzzed_one')
  accountId = (await accountCalled(db, 'fuzzed_one'))?.id ?? 0n
  await shop.buy(customer, { pool: 'residential', gb: 5 })
  digest = await digestOf(shop.database)
})
afterAll(async () => {
  agent.destroy()
  await shop.close()
})

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Calls that may end sessions, including the session that makes the call. */
const endingSessions = new Set(
  [accountsWire, emailWire, telegramWire, securityWire, sessionsWire, personWire].flatMap((calls) =>
    Object.values<{ path: string }>(calls).map(({ path }) => path),
  ),
)

const signIn = () =>
  openSession(
    shop.database.db,
    { accountId, origin: { ip: '192.0.2.1', userAgent: null, country: null }, way: 'password' },
    shop.clock.now,
  )

/** The session of a test. */
let kept: Promise<string> | null = null

async function tokenOf({ path, who }: Shot): Promise<string | null> {
  if (who !== 'customer') return who === 'stale' ? 'A'.repeat(43) : null
  if (endingSessions.has(path.split('?')[0] ?? '')) return signIn()
  return (kept ??= signIn())
}

let shots = 0

/** Sends a request from a separate address, so that limits per address do not hide the code behind them. */
async function fire(asked: Shot): Promise<Answer> {
  const { method, path, headers, body } = asked
  const token = await tokenOf(asked)
  const shot = shots++
  const url = new URL(shop.origin)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: url.hostname,
        port: url.port,
        method,
        path,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          // Node sends a body of a GET without its length.
          ...(body === null || 'transfer-encoding' in headers
            ? {}
            : { 'content-length': Buffer.byteLength(body) }),
          'x-forwarded-for': `198.18.${(shot >> 8) % 256}.${shot % 256}`,
          ...Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
          ),
        },
        timeout: tooLateMs,
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${tooLateMs} ms`)))
    sent.on('error', (error) =>
      reject(new Error(`${error.message}: ${JSON.stringify({ method, path, headers, body })}`)),
    )
    sent.end(body ?? undefined)
  })
}

/** Checks one answer; every failure names the request. */
function judge(name: Name, shot: Shot, { status, headers, body }: Answer): void {
  const about = `${JSON.stringify(shot).slice(0, 2000)}\n→ ${status} ${body.slice(0, 500)}`
  if (shot.mustFail) expect(status, about).toBeGreaterThanOrEqual(400)
  if (status === 501) expect(JSON.parse(body), about).toMatchObject({ code: 'payment_method_unavailable' })
  else expect(status, about).toBeLessThan(500)
  expect(String(headers['x-request-id']), about).toMatch(/^[0-9a-f-]{36}$/)
  if (status >= 400) return judgeFault(shot, body, about)
  expect([200, 204, 304], about).toContain(status)
  if (status !== 200 || wire[name].answer === 'blob') return
  const output = wire[name].answer === 'text' ? body : (JSON.parse(body) as unknown)
  expect(contract[name].output.safeParse(output).error, about).toBeUndefined()
}

function judgeFault(shot: Shot, body: string, about: string): void {
  const fault = JSON.parse(body) as { code: string; message: string; details?: Record<string, unknown> }
  expect(Object.keys(fault), about).toEqual([
    'code',
    'message',
    ...(fault.details === undefined ? [] : ['details']),
  ])
  expect(fault.code, about).toMatch(/^[a-z][a-z0-9_]*$/)
  const codes = [
    ...(isRefusalCode(fault.code) ? [fault.code] : []),
    ...(fault.code.startsWith('invalid_') ? (['invalid_field', 'missing_field'] as const) : []),
  ]
  const language = languageOf(shot.headers['accept-language'])
  expect(
    codes.map((code) => sentence(code, language, fault.details)),
    about,
  ).toContain(fault.message)
}

/**
 * Requests that must fail are sent a dozen concurrently; the others one by one, each followed by a check of
 * its changes.
 */
async function fireAll(name: Name, all: Shot[]): Promise<void> {
  const hopeless = all.filter((shot) => shot.mustFail)
  for (let at = 0; at < hopeless.length; at += 12) await volley(name, hopeless.slice(at, at + 12))
  let before = await digest()
  for (const shot of all.filter((one) => !one.mustFail)) {
    const answer = await fire(shot)
    judge(name, shot, answer)
    const after = await digest()
    if (answer.status >= 400)
      expect(after, `refused with ${answer.body}, and yet changed: ${JSON.stringify(shot)}`).toEqual(before)
    before = after
  }
}

async function volley(name: Name, shots: Shot[]): Promise<void> {
  const before = await digest()
  const answers = await Promise.all(shots.map(fire))
  for (const [index, answer] of answers.entries()) judge(name, shots[index] as Shot, answer)
  expect(await digest(), `all refused, and yet changed: ${JSON.stringify(shots)}`).toEqual(before)
}

describe.each(Object.keys(wire) as Name[])(`%s (FUZZ_SEED=${seed})`, (name) => {
  // Every test starts with no attempts counted and no invoice open, and ends before the limits on them
  // matter.
  beforeEach(async () => {
    kept = null
    await sql`delete from attempt`.execute(shop.database.db)
    await sql`update invoice set state = 'cancelled' where state = 'pending'`.execute(shop.database.db)
  })

  it('handles all input that its schema accepts, and input close to it', async () => {
    await fireAll(name, fc.sample(calls(name, likely), { seed, numRuns: sized(6, 50) * effort }))
  })

  it('handles naughty texts in every field', async () => {
    const all = sweep(name, likely, { seed, every: sized(10, 1) })
    for (let at = 0; at < all.length; at += 8) {
      const shots = all.slice(at, at + 8)
      const answers = await Promise.all(shots.map(fire))
      for (const [index, answer] of answers.entries()) judge(name, shots[index] as Shot, answer)
      await sql`delete from attempt`.execute(shop.database.db)
    }
  })

  it('handles malformed requests', async () => {
    await fireAll(name, fc.sample(breaches(name), { seed, numRuns: sized(5, 40) * effort }))
  })
})

it('the digest changes when a call has changed something', async () => {
  const before = await digest()
  await addBanner(shop.database.db, {
    alt_ru: 'New',
    alt_en: 'New',
    link: '/',
    bytes: Buffer.from('GIF89a\x01\0\x01\0', 'latin1'),
  })
  expect(await digest()).not.toEqual(before)
})
