/** The desk's calls about a customer's access: connections, passwords, limits, letters. */
import type { Kysely, Transaction } from 'kysely'
import { revokeLinks } from '#proxies/presets'
import { resendConfirmation, resetSignIn } from '#accounts'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { may } from '#contract/desk/roles'
import { viewPage } from '#contract/view'
import { type Pool, pools } from '#contract/wire'
import { type DB, transaction } from '#db'
import { showExits } from '#exits'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { changeLimits, limitsOf, noLimits, type PoolLimits, readHosts } from '#limits'
import { findAccess, type FoundAccess, resetPassword } from '#proxies'
import { agreedPace, agreePace, callsAtOnce, callsPerSecond, revokeResellerToken } from '#reseller'
import { resetFactors } from '#account-security'
import { offerView, record } from '#staff'
import { authorOf, type DeskContext, type DeskHandlers, memberOf } from '#staff/call'
import { askSessions, cutSessions, recallLeases, usedInWindows } from '#traffic'
import { recordLook } from './connections.calls.ts'
import { customerOf } from './customers.acts.ts'
import { amount } from '../lists/page.ts'

type Db = Kysely<DB>

/** The customer's access to each pool; the login is the same in all pools. */
async function accessesOf(db: Db, accountId: bigint): Promise<(FoundAccess & { pool: Pool })[]> {
  const found = await Promise.all(pools.map((pool) => findAccess(db, { accountId, pool })))
  return found.flatMap((one, index) => (one === null ? [] : [{ ...one, pool: pools[index] as Pool }]))
}

const noConnections = { open: 0, answered: 0, asked: 0, rows: [] }

async function liveConnections(
  secrets: Secrets,
  { id, reason }: DeskParsed<'live_connections'>,
  context: DeskContext,
): Promise<DeskOutput<'live_connections'>> {
  const { db } = context.database
  const accountId = BigInt(id)
  await customerOf(db, accountId)
  if (reason !== undefined) {
    const { role } = memberOf(context)
    if (!may(role, 'connections.targets')) throw new Refusal('no_permission', { role })
    const subject = { kind: 'connections', id: 'live' } as const
    await recordLook(context, { action: 'live_connections', subject, accountId, reason })
  }
  const [access] = await accessesOf(db, accountId)
  if (access === undefined) return noConnections
  const { sessions, ...counts } = await askSessions(db, access.login)
  const exits = new Map((await showExits(db, secrets)).map((exit) => [exit.id, exit.name]))
  const rows = sessions
    .toSorted((one, other) => one.open_ms - other.open_ms)
    .map((session) => ({
      request_id: session.id,
      gateway: session.gateway,
      pool: session.pool as Pool,
      protocol: session.protocol,
      open_ms: session.open_ms,
      idle_ms: session.idle_ms,
      relayed_bytes: String(session.relayed_bytes),
      exit: session.exit === null ? null : (exits.get(session.exit) ?? null),
      country: session.country,
      target: reason === undefined ? null : session.target,
      ip: session.client,
    }))
  return { ...counts, rows }
}

/** An act on one customer, recorded in its transaction with what `work` returns. */
function actOn<T>(
  context: DeskContext,
  { action, id, reason }: { action: string; id: string; reason?: string | undefined },
  work: (tx: Transaction<DB>, accountId: bigint) => Promise<{ before?: unknown; after?: unknown; answer: T }>,
): Promise<T> {
  const accountId = BigInt(id)
  return transaction(context.database.db, async (tx) => {
    await customerOf(tx, accountId)
    const { answer, ...change } = await work(tx, accountId)
    const entry = { action, subject: { kind: 'customer', id }, accountId, ...change } as const
    await record(tx, authorOf(context), { ...entry, reason: reason ?? null }, context.now())
    return answer
  })
}

const inWire = ({ hourBytes, dayBytes, monthBytes, ...rest }: PoolLimits) => ({
  hour_bytes: hourBytes === null ? null : amount(hourBytes),
  day_bytes: dayBytes === null ? null : amount(dayBytes),
  month_bytes: monthBytes === null ? null : amount(monthBytes),
  connections: rest.connections,
  allowed_hosts: rest.allowedHosts,
  denied_hosts: rest.deniedHosts,
  data_saver: rest.dataSaver,
})

const capOf = (text: string | null) => (text === null ? null : BigInt(text))

/** Fields that are left out keep their values. */
function changesOf(input: DeskParsed<'set_customer_limits'>): Partial<PoolLimits> {
  const { hour_bytes, day_bytes, month_bytes, connections, allowed_hosts, denied_hosts, data_saver } = input
  return {
    ...(hour_bytes === undefined ? {} : { hourBytes: capOf(hour_bytes) }),
    ...(day_bytes === undefined ? {} : { dayBytes: capOf(day_bytes) }),
    ...(month_bytes === undefined ? {} : { monthBytes: capOf(month_bytes) }),
    ...(connections === undefined ? {} : { connections }),
    ...(allowed_hosts === undefined ? {} : { allowedHosts: readHosts(allowed_hosts) }),
    ...(denied_hosts === undefined ? {} : { deniedHosts: readHosts(denied_hosts) }),
    ...(data_saver === undefined ? {} : { dataSaver: data_saver }),
  }
}

/** The limits of a customer: of pools, and of the API. */
const limitsCalls = {
  customer_api: async ({ id }, { database: { db } }) => {
    const accountId = BigInt(id)
    await customerOf(db, accountId)
    const { times, agreedAt } = (await agreedPace(db, accountId)) ?? { times: 1, agreedAt: null }
    return {
      times,
      calls_per_second: callsPerSecond * times,
      calls_at_once: callsAtOnce * times,
      agreed_at: agreedAt?.toISOString() ?? null,
    }
  },
  set_api_pace: ({ id, times, reason }, context) =>
    actOn(context, { action: 'set_api_pace', id, reason }, async (tx, accountId) => {
      const before = { pace_times: (await agreedPace(tx, accountId))?.times ?? 1 }
      await agreePace(tx, { accountId, times }, context.now())
      return { before, after: { pace_times: times }, answer: true as const }
    }),
  customer_limits: async ({ id }, { database: { db }, now }) => {
    const accountId = BigInt(id)
    await customerOf(db, accountId)
    return Promise.all(
      (await accessesOf(db, accountId)).map(async ({ id: accessId, pool }) => {
        const used = await usedInWindows(db, { accessId, now: now() })
        return {
          pool,
          ...inWire((await limitsOf(db, accessId)) ?? noLimits),
          used: {
            hour_bytes: amount(used.hourBytes),
            day_bytes: amount(used.dayBytes),
            month_bytes: amount(used.monthBytes),
          },
        }
      }),
    )
  },
  set_customer_limits: (input, context) => {
    const { id, pool, reason } = input
    const changes = changesOf(input)
    return actOn(context, { action: 'set_customer_limits', id, reason }, async (tx, accountId) => {
      const access = await findAccess(tx, { accountId, pool })
      if (access === null) throw new Refusal('no_subuser')
      const before = { pool, ...inWire((await limitsOf(tx, access.id)) ?? noLimits) }
      const after = { pool, ...inWire(await changeLimits(tx, access, changes)) }
      await recallLeases(tx, access.id)
      return { before, after, answer: true as const }
    })
  },
} satisfies Partial<DeskHandlers>

export interface AccessDeps {
  secrets: Secrets
  shopUrl: URL
}

export const accessCalls = ({ secrets, shopUrl }: AccessDeps) =>
  ({
    live_connections: (input, context) => liveConnections(secrets, input, context),
    cut_connections: ({ id, request_id: requestId, reason }, context) =>
      actOn(context, { action: 'cut_connections', id, reason }, async (tx, accountId) => {
        const [access] = await accessesOf(tx, accountId)
        if (access !== undefined) await cutSessions(tx, access.login, requestId ?? null)
        return { after: { request_id: requestId ?? 'all' }, answer: true as const }
      }),
    reset_access: ({ id, parts, reason }, context) =>
      actOn(context, { action: 'reset_access', id, reason }, async (tx, accountId) => {
        const accesses = parts.includes('proxy_passwords') ? await accessesOf(tx, accountId) : []
        for (const { pool } of accesses) await resetPassword(tx, secrets, { accountId, pool })
        const signIn = parts.includes('sign_in')
          ? await resetSignIn(tx, secrets, accountId, context.now())
          : { sessions: 0, letter: false }
        if (parts.includes('api_token')) {
          await revokeResellerToken(tx, accountId)
          await revokeLinks(tx, accountId)
        }
        const factors = parts.includes('second_factor')
          ? await resetFactors(tx, accountId, context.now())
          : []
        const answer = { pools: accesses.map(({ pool }) => pool), ...signIn, factors }
        return { after: { parts: [...new Set(parts)], ...answer }, answer }
      }),
    see_as_customer: ({ id, reason }, context) =>
      actOn(context, { action: 'see_as_customer', id, reason }, async (tx, accountId) => {
        const { session } = memberOf(context)
        const link = await offerView(tx, { sessionId: session.id, accountId }, context.now())
        const url = new URL(`${viewPage}#${link.token}`, shopUrl).href
        return { answer: { url, expires_at: link.expiresAt.toISOString() } }
      }),
    resend_confirmation: ({ id }, context) =>
      actOn(context, { action: 'resend_confirmation', id }, async (tx, accountId) => {
        await resendConfirmation(tx, secrets, accountId, context.now())
        return { answer: true as const }
      }),
    ...limitsCalls,
  }) satisfies Partial<DeskHandlers>
