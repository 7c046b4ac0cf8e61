/**
 * The desk's calls about single connections: which customer made one, which were refused, and the answer to a
 * complainant.
 */
import type { Kysely } from 'kysely'
import { readContent } from '#content'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { may } from '#contract/desk/roles'
import { namesNoTarget } from '#contract/gateway/refusals'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { showExits } from '#exits'
import { canonicalIp } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { type Connection, type ConnectionSum, connectionSums, findConnections } from '#requests'
import { type Entry, record } from '#staff'
import { authorOf, type DeskContext, type DeskHandlers, memberOf } from '#staff/call'
import { complaintAnswer } from './complaint.ts'
import { customerOf } from './customers.acts.ts'
import { ownersOf } from '../lists/owners.ts'
import { amount, bigintOf, endOf, timeOf, wholeHours } from '../lists/page.ts'

type Db = Kysely<DB>

const always = new Date(0)

/** The names of customers, exits and others to which the rows refer. */
async function namesOf(db: Db, secrets: Secrets, rows: readonly Connection[]) {
  const owners = await ownersOf(
    db,
    rows.map(({ account }) => account),
  )
  const exits = new Map((await showExits(db, secrets)).map(({ id, name }) => [id, name]))
  return (row: Connection) => ({
    request_id: row.id,
    customer_id: row.account === null ? null : String(row.account),
    customer_name: row.account === null ? null : (owners.get(row.account)?.username ?? null),
    pool: row.pool as Pool | null,
    exit_id: row.exit === null ? null : String(row.exit),
    exit: row.exit === null ? null : (exits.get(row.exit) ?? null),
    country: row.country,
    protocol: row.protocol,
  })
}

/**
 * Records access to targets before the answer is sent. Every page is recorded: nothing else proves that the
 * first page was requested.
 */
export function recordLook(context: DeskContext, entry: Entry): Promise<void> {
  return transaction(context.database.db, (tx) => record(tx, authorOf(context), entry, context.now()))
}

function addressOf(text: string, field: 'ip' | 'exit_ip' = 'ip'): string {
  const address = canonicalIp(text.trim())
  if (address === null) throw new Refusal('invalid_field', { field })
  return address
}

async function listConnections(
  secrets: Secrets,
  input: DeskParsed<'connections'>,
  context: DeskContext,
): Promise<DeskOutput<'connections'>> {
  const { reason, after, limit = 50, ...filter } = input
  const { db } = context.database
  const { role } = memberOf(context)
  // A search by target reveals whether a customer has reached it, even if the target is not shown.
  const namesTarget = filter.target !== undefined || filter.host !== undefined
  if ((namesTarget || reason !== undefined) && !may(role, 'connections.targets'))
    throw new Refusal('no_permission', { role })
  if (namesTarget && reason === undefined) throw new Refusal('reason_needed')
  const account = bigintOf(filter.customer)
  const client = filter.ip === undefined ? undefined : addressOf(filter.ip)
  if (reason !== undefined)
    await recordLook(context, {
      action: 'connections',
      subject: { kind: 'connections', id: filter.request_id ?? 'search' },
      ...(account === undefined ? {} : { accountId: account }),
      after: { ...filter, ...(after === undefined ? {} : { after }) },
      reason,
    })
  const { rows, next } = await findConnections(
    db,
    {
      target: filter.target,
      host: filter.host,
      client,
      exitAddress: filter.exit_ip === undefined ? undefined : addressOf(filter.exit_ip, 'exit_ip'),
      exitPort: filter.exit_port,
      exit: bigintOf(filter.exit),
      account,
      requestId: filter.request_id,
      from: timeOf(filter.from, context.zone) ?? always,
      to: endOf(filter.until, context.zone) ?? context.now(),
    },
    { limit, after: after ?? null },
  )
  const named = await namesOf(db, secrets, rows)
  const shown = rows.map((row) => ({
    ...named(row),
    started_at: row.startedAt.toISOString(),
    ended_at: row.endedAt.toISOString(),
    duration_ms: row.durationMs,
    login: row.login,
    target: reason === undefined ? null : row.target,
    target_ip: reason === undefined ? null : row.targetAddress,
    exit_ip: row.exitAddress,
    exit_port: row.exitPort,
    ip: row.client,
    port: row.clientPort,
    up_bytes: amount(row.upBytes),
    down_bytes: amount(row.downBytes),
    charged_bytes: amount(row.chargedBytes),
    outcome: row.outcome,
    code: row.code,
    sentence: reason === undefined ? toldWithoutTarget(row) : row.sentence,
  }))
  return { rows: shown, next }
}

/**
 * The text of an exit without the target, which it may repeat: readers of refusals may not see targets. Null
 * when the target was not stored, because it cannot be removed from the text then.
 */
function withoutTarget(text: string | null, target: string | null): string | null {
  if (text === null || target === null) return null
  const host = target.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  const pattern = host.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  return host === '' ? null : text.replaceAll(new RegExp(pattern, 'gi'), '…')
}

/** The sentence that the client received, without the target. */
const toldWithoutTarget = ({ code, sentence, target }: Connection): string | null =>
  code !== null && namesNoTarget.has(code) ? sentence : withoutTarget(sentence, target)

async function refusalsOf(db: Db, secrets: Secrets, rows: readonly Connection[]) {
  const named = await namesOf(db, secrets, rows)
  return rows.map((row) => ({
    ...named(row),
    at: row.startedAt.toISOString(),
    status: row.status,
    code: row.code ?? row.outcome,
    exit_status: row.exitStatus,
    exit_word: withoutTarget(row.exitWord, row.target),
    sentence: toldWithoutTarget(row),
  }))
}

const examplesOfCode = 3

type RefusalSum = Pick<ConnectionSum, 'key' | 'refused'>
const moreFirst = (a: RefusalSum, b: RefusalSum) =>
  Number(b.refused - a.refused) || a.key.localeCompare(b.key)

async function refusalsByCode(
  db: Db,
  secrets: Secrets,
  { from, until }: DeskParsed<'refusals'>,
  zone: string,
): Promise<DeskOutput<'refusals'>> {
  const period = wholeHours(from, until, zone)
  const sums = (await connectionSums(db, { by: 'code', ...period })).filter(({ refused }) => refused > 0n)
  const found: DeskOutput<'refusals'> = []
  for (const { key: code, refused } of sums.toSorted(moreFirst)) {
    const { rows } = await findConnections(db, { code, ...period }, { limit: examplesOfCode })
    found.push({ code, requests: amount(refused), examples: await refusalsOf(db, secrets, rows) })
  }
  return found
}

export const connectionCalls = ({ secrets }: { secrets: Secrets }) =>
  ({
    connections: (input, context) => listConnections(secrets, input, context),
    refusals: (input, { database, zone }) => refusalsByCode(database.db, secrets, input, zone),
    customer_refusals: async ({ id, after, limit = 50 }, { database: { db }, now }) => {
      const account = BigInt(id)
      await customerOf(db, account)
      const asked = { account, isRefused: true, from: always, to: now() }
      const { rows, next } = await findConnections(db, asked, { limit, after: after ?? null })
      return { rows: await refusalsOf(db, secrets, rows), next }
    },
    exit_refusals: async ({ id, after, limit = 50 }, { database: { db }, now }) => {
      const asked = { exit: BigInt(id), isRefused: true, from: always, to: now() }
      const { rows, next } = await findConnections(db, asked, { limit, after: after ?? null })
      return { rows: await refusalsOf(db, secrets, rows), next }
    },
    complaint_answer: async ({ request_id: requestId, language, reason }, context) => {
      const { db } = context.database
      const { rows } = await findConnections(db, { requestId, from: always, to: context.now() })
      const [connection] = rows
      if (connection === undefined) throw new Refusal('connection_not_found')
      const { account } = connection
      await recordLook(context, {
        action: 'complaint_answer',
        subject: { kind: 'connections', id: requestId },
        ...(account === null ? {} : { accountId: account }),
        after: { language },
        reason,
      })
      const owner = account === null ? null : ((await ownersOf(db, [account])).get(account) ?? null)
      const { brand } = await readContent(db)
      const isBlocked = owner !== null && owner.blockedAt !== null
      return { text: complaintAnswer(language, { shop: brand.name, connection, isBlocked }) }
    },
  }) satisfies Partial<DeskHandlers>
