/** The history of a busy customer: a month of traffic and of requests, as gateways report them. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { seeded } from '#lib/seeded'
import type { Database } from '#db'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { line, newBoot } from '#test/traffic'
import { lease, settle } from '#traffic'
import { withDatabase } from './database.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const days = 30

const countries = ['us', 'de', 'gb', 'fr', 'br', 'in', 'nl', 'pl']
const hosts = ['shop', 'prices', 'search', 'tickets', 'maps', 'images', 'travel']
const codes = ['exit_or_target_timeout', 'connection_refused', 'dns_error']

interface Whose {
  accessId: bigint
  accountId: bigint
  pool: 'residential'
}

interface Request {
  endedAt: Date
  bytes: bigint
  country: string
  host: string
  /** The code of the refusal; null: the request succeeded. */
  code: string | null
}

/** The rate of requests by the time of day: fewer at night, as for people who work in Europe. */
const busyness = (at: Date) => 0.25 + Math.max(0, Math.sin(((at.getUTCHours() - 4) / 18) * Math.PI))

/** The requests of the hours up to now, the oldest first. */
function plan(now: Date): Request[] {
  const chance = seeded(0x616e6e61)
  const pick = (list: readonly string[]) => list[Math.floor(chance() ** 2 * list.length)] ?? ''
  const first = Math.floor((now.getTime() - days * dayMs) / hourMs) * hourMs
  return Array.from({ length: days * 24 + 1 }, (_, index) => new Date(first + index * hourMs)).flatMap(
    (hour) =>
      Array.from({ length: Math.round(14 * busyness(hour) * (0.6 + chance())) }, () => ({
        endedAt: new Date(hour.getTime() + Math.floor(chance() * hourMs)),
        bytes: BigInt(Math.round(Math.exp(12 + chance() * 6.5))),
        country: pick(countries),
        host: pick(hosts),
        code: chance() < 0.02 ? pick(codes) : null,
      }))
        .filter(({ endedAt }) => endedAt < now)
        .toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime()),
  )
}

/** Charges the usage of the requests in each hour. */
async function spend(db: Database['db'], { accessId: access }: Whose, requests: readonly Request[]) {
  const boot = newBoot(randomUUID())
  const hours = Map.groupBy(requests, ({ endedAt }) => Math.floor(endedAt.getTime() / hourMs) * hourMs)
  for (const [at_ms, some] of hours) {
    const done = some.filter(({ code }) => code === null)
    const bytes = done.reduce((sum, one) => sum + one.bytes, 0n)
    if (bytes === 0n) continue
    const held = await lease(db, boot, { access, want_bytes: bytes })
    if (held.granted_bytes < bytes) throw new Error('there is not as much traffic')
    const reported = line(held.lease, access, bytes, {
      close: true,
      relayed_bytes: bytes,
      requests: done.length,
    })
    await settle(db, [boot.report([reported], { at_ms })])
  }
}

/** Stores the records of the requests day by day, as if they had been stored then. */
async function keep(db: Database['db'], whose: Whose, requests: readonly Request[], now: Date) {
  const byDay = Map.groupBy(requests, ({ endedAt }) => Math.floor(endedAt.getTime() / dayMs))
  for (const [day, some] of byDay) {
    const records = some.map(({ endedAt, bytes, country, host, code }) => {
      const up = bytes / 20n
      const down = bytes - up
      return connectionOf(whose, endedAt, {
        target: `${host}.example:443`,
        country,
        settings: `cc-${country}`,
        ended_ms: 400 + Number(bytes / 40_000n),
        connected_ms: 38,
        first_byte_ms: 112,
        up_bytes: up,
        down_bytes: down,
        charged_up_bytes: up,
        charged_down_bytes: down,
        ...(code === null ? {} : refusedWith(code)),
      })
    })
    await keepConnections(db, records, new Date(Math.min((day + 1) * dayMs - 1, now.getTime())))
  }
}

/** Gives a customer who has bought enough their month, an account as old as that, and a confirmed address. */
export async function makeBusy(username: string): Promise<void> {
  await withDatabase(async ({ db }) => {
    const now = new Date()
    const [found] = (
      await sql<{ account_id: bigint; id: bigint }>`
        select s.account_id, s.id from access s join account a on a.id = s.account_id
        where a.username = ${username} and s.pool = 'residential'`.execute(db)
    ).rows
    if (found === undefined) throw new Error(`${username} has no pool`)
    const whose = { accessId: found.id, accountId: found.account_id, pool: 'residential' as const }
    await sql`update account set email_confirmed_at = now(), created_at = now() - interval '40 days'
      where id = ${whose.accountId}`.execute(db)
    const requests = plan(now)
    await spend(db, whose, requests)
    await keep(db, whose, requests, now)
  })
}
