/**
 * The audit trail: who changed what, when, from what to what, and why. An entry is inserted in the
 * transaction of the change; the database refuses to change or delete it.
 */
import { likePart } from '#lib/like'
import { userInfo } from 'node:os'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { SubjectKind } from '#contract/desk/call'
import type { DB, Execute } from '#db'
import { judgeStake, nothingUnproven, type Stake, type StepUpGate, type Unproven } from './stake.ts'

/**
 * The author of a change: a member of staff, a user of this system at the command line, or a person who has
 * not signed in.
 */
export interface Author {
  kind: 'staff' | 'system' | 'anonymous'
  /** Of a member of staff. */
  staffId: bigint | null
  name: string
  ip: string | null
  requestId: string | null
  /** Of a member who makes a call that needs the second factor by sums of a day. */
  gate?: StepUpGate
  /** Of a change with a condition: refuses it in its transaction, after the change has its locks. */
  condition?: ChangeCondition
}

export type ChangeCondition = (tx: Transaction<DB>) => Promise<void>

/** The system user who runs this command; with sudo, the user who called it. */
export function systemAuthor(): Author {
  const sudo = process.env['SUDO_USER'] ?? ''
  const { username } = userInfo()
  const name = sudo === '' || sudo === username ? username : `${sudo} (as ${username})`
  return { kind: 'system', staffId: null, name, ip: null, requestId: null }
}

/** What was done. `before` and `after` are plain data without secrets. */
export interface Entry {
  /** The name of the call. */
  action: string
  subject: { kind: SubjectKind; id: string }
  /** The customer whom it concerns. */
  accountId?: bigint
  before?: unknown
  after?: unknown
  reason?: string | null
  /**
   * The worth of the act, counted towards the second-factor limits; acts at the command line are not counted.
   */
  stake?: Stake
}

const asJson = (data: unknown) =>
  data === undefined
    ? null
    : JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

const rowOf = (author: Author, entry: Entry, now: Date, unproven: Unproven = nothingUnproven) => ({
  at: now,
  actor_kind: author.kind,
  staff_id: author.staffId,
  actor_name: author.name,
  action: entry.action,
  subject_kind: entry.subject.kind,
  subject_id: entry.subject.id,
  account_id: entry.accountId ?? null,
  before: asJson(entry.before),
  after: asJson(entry.after),
  reason: entry.reason ?? null,
  ip: author.ip,
  request_id: author.requestId,
  ...unproven,
})

/**
 * Records a change, in its transaction and after it. Refuses with `step_up_needed` when its worth requires a
 * fresh second factor, and as the author's condition does.
 */
export async function record(tx: Transaction<DB>, author: Author, entry: Entry, now: Date): Promise<void> {
  await author.condition?.(tx)
  await tx
    .insertInto('audit_entry')
    .values(rowOf(author, entry, now, await unprovenOf(tx, author, entry, now)))
    .execute()
}

async function unprovenOf(
  tx: Transaction<DB>,
  { staffId, gate }: Author,
  { action, stake }: Entry,
  now: Date,
): Promise<Unproven> {
  if (stake === undefined || staffId === null) return nothingUnproven
  // A call that gives something away without this declaration is our bug.
  if (gate === undefined || stake[gate.by] === undefined)
    throw new Error(`the step-up that ${action} declares does not count what it gives away`)
  return judgeStake(tx, { staffId, gate }, stake, now)
}

/** The same in any transaction; `db` only writes the statement. */
export async function recordOn(
  execute: Execute,
  db: Kysely<DB>,
  author: Author,
  entry: Entry,
  now: Date,
): Promise<void> {
  await execute(
    db
      .insertInto('audit_entry')
      .values(rowOf(author, entry, now))
      .compile(),
  )
}

export interface AuditFilter {
  text?: string | undefined
  staffId?: bigint | undefined
  action?: string | undefined
  /** One of these. */
  actions?: readonly string[] | undefined
  subjectKind?: string | undefined
  subjectId?: string | undefined
  accountId?: bigint | undefined
  from?: Date | undefined
  until?: Date | undefined
}

/** Entries, newest first, before the entry `before` where one is given. */
export function listAudit(
  db: Kysely<DB>,
  filter: AuditFilter,
  { before, limit }: { before: bigint | null; limit: number },
) {
  let query = db.selectFrom('audit_entry').selectAll().orderBy('id', 'desc').limit(limit)
  if (before !== null) query = query.where('id', '<', before)
  if (filter.staffId !== undefined) query = query.where('staff_id', '=', filter.staffId)
  if (filter.action !== undefined) query = query.where('action', '=', filter.action)
  if (filter.actions !== undefined) query = query.where('action', 'in', [...filter.actions])
  if (filter.subjectKind !== undefined) query = query.where('subject_kind', '=', filter.subjectKind)
  if (filter.subjectId !== undefined) query = query.where('subject_id', '=', filter.subjectId)
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId)
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from)
  if (filter.until !== undefined) query = query.where('at', '<', filter.until)
  if (filter.text !== undefined && filter.text.trim() !== '') {
    const pattern = likePart(filter.text.trim())
    query = query.where(
      sql<boolean>`(actor_name ilike ${pattern} or subject_id ilike ${pattern} or reason ilike ${pattern})`,
    )
  }
  return query.execute()
}

/** The entry of an act by its idempotency key; null: there is none. */
export async function entryOfKey(
  db: Kysely<DB>,
  key: string,
): Promise<{ action: string; staffId: bigint | null; after: unknown } | null> {
  const row = await db
    .selectFrom('audit_entry')
    .select(['action', 'staff_id as staffId', 'after'])
    .where(sql<string>`after ->> 'key'`, '=', key)
    .executeTakeFirst()
  return row ?? null
}

/**
 * How often a member has done something since a time. The member is locked until the transaction ends, as in
 * `givenSince`.
 */
export async function countSince(
  tx: Transaction<DB>,
  { staffId, action }: { staffId: bigint; action: string },
  since: Date,
): Promise<number> {
  await tx.selectFrom('staff').select('id').where('id', '=', staffId).forNoKeyUpdate().executeTakeFirst()
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from audit_entry
    where staff_id = ${staffId} and action = ${action} and at > ${since}`.execute(tx)
  return Number(rows[0]?.count ?? 0n)
}

/**
 * What a member has given in an action since a time: the sum of a field of the answers. The member is locked
 * until the transaction ends, so that concurrent acts count each other.
 */
export async function givenSince(
  tx: Transaction<DB>,
  { staffId, action, field }: { staffId: bigint; action: string; field: string },
  since: Date,
): Promise<bigint> {
  await tx.selectFrom('staff').select('id').where('id', '=', staffId).forNoKeyUpdate().executeTakeFirst()
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum((after -> 'answer' ->> ${field})::bigint), 0)::bigint as sum from audit_entry
    where staff_id = ${staffId} and action = ${action} and at > ${since}`.execute(tx)
  return rows[0]?.sum ?? 0n
}
