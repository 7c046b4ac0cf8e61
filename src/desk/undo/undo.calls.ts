/** The desk's calls that undo acts: the inverse is an ordinary call, with its own checks and its own entry. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DeskCall } from '#contract/desk/call'
import { undoableActs } from '#contract/desk/undoable'
import { deskWire, mayCall } from '#contract/desk/wire'
import type { DB } from '#db'
import { textArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'
import { steppedUpUntil } from '#staff'
import { type DeskContext, type DeskHandlers, memberOf } from '#staff/call'
import { type ActEntry, inverseOf, overtakenBy } from './inverses.ts'

/** Older acts are not undone: too much may rest on them. */
const undoableMs = 7 * 24 * 3_600_000
/** How long the last act is offered to be undone. */
const justDoneMs = 60_000

interface Asked extends ActEntry {
  id: bigint
  at: Date
  /** The entry before it that changed the same. */
  previous: ActEntry | null
  /** Who made the next act on the same subject; null: nobody. */
  overtakenBy: string | null
}

/** Entries by a condition on `e`, each with those before and after it that changed the same. */
async function entriesWhere(db: Kysely<DB>, where: RawBuilder<unknown>): Promise<Asked[]> {
  const pairs = undoableActs.flatMap((action) => overtakenBy(action).map((other) => [action, other] as const))
  const { rows } = await sql<Asked>`
    with same as (
      select action, array_agg(other) as others
      from unnest(${textArray(pairs.map(([action]) => action))}::text[], ${textArray(pairs.map(([, other]) => other))}::text[])
        as pair(action, other) group by action
    )
    select e.id, e.at, e.action, e.subject_id as "subjectId", e.before, e.after, e.reason,
      next.by as "overtakenBy", previous.entry as previous from audit_entry e
    left join same on same.action = e.action
    left join lateral (
      select o.actor_name as by from audit_entry o
      where o.subject_kind = e.subject_kind and o.subject_id = e.subject_id and o.action = any(same.others)
        and o.id > e.id order by o.id limit 1) next on true
    left join lateral (
      select json_build_object('action', o.action, 'subjectId', o.subject_id, 'before', o.before,
        'after', o.after, 'reason', o.reason) as entry from audit_entry o
      where o.subject_kind = e.subject_kind and o.subject_id = e.subject_id and o.action = any(same.others)
        and o.id < e.id order by o.id desc limit 1) previous on true
    where ${where} order by e.id desc`.execute(db)
  return rows
}

const reasonOf = (id: bigint, language: 'ru' | 'en') =>
  language === 'ru' ? `Возврат к тому, что было до записи ${id}` : `Undoes entry ${id}`

/**
 * The call by which this member undoes an entry. Refuses with `act_not_undoable`, `no_permission` and
 * `act_overtaken`, in this order: who may not change something is not told who did.
 */
function inverseFor(entry: Asked, context: DeskContext, reason?: string) {
  const { language, now } = context
  const { role } = memberOf(context)
  if (now().getTime() - entry.at.getTime() > undoableMs) throw new Refusal('act_not_undoable')
  const { previous, overtakenBy: by } = entry
  const inverse = inverseOf(entry, { previous, reason: reason ?? reasonOf(entry.id, language) })
  if (inverse === null) throw new Refusal('act_not_undoable')
  if (!mayCall(role, inverse.call)) throw new Refusal('no_permission', { role })
  if (by !== null) throw new Refusal('act_overtaken', { by })
  return inverse
}

/** Whether the member may undo the entry now. */
function isUndoable(entry: Asked, context: DeskContext): boolean {
  try {
    inverseFor(entry, context)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

async function undo(
  { entry: id, reason }: { entry: string; reason?: string | undefined },
  context: DeskContext,
  handlers: Partial<DeskHandlers>,
): Promise<{ action: string }> {
  const [entry] = await entriesWhere(context.database.db, sql`e.id = ${BigInt(id)}`)
  if (entry === undefined) throw new Refusal('entry_not_found')
  const { call, input } = inverseFor(entry, context, reason)
  const { stepUp }: DeskCall = deskWire[call]
  if (stepUp !== 'never' && steppedUpUntil(memberOf(context), context.now()) === null)
    throw new Refusal('step_up_needed')
  const handler = handlers[call] as (input: unknown, context: DeskContext) => Promise<unknown>
  let isJudged = false
  // Judged again when the change has its locks: another member may have changed the same since.
  const condition = async (db: Kysely<DB>) => {
    const [latest] = await entriesWhere(db, sql`e.id = ${entry.id}`)
    const by = latest?.overtakenBy ?? null
    if (by !== null) throw new Refusal('act_overtaken', { by })
    isJudged = true
  }
  await handler(input, { ...context, condition })
  // A change that found nothing to change is not recorded: another member has undone the act.
  if (!isJudged) await condition(context.database.db)
  return { action: call }
}

/** `handlers`: those of all calls that undo something. */
export const undoCalls = (handlers: Partial<DeskHandlers>) =>
  ({
    undoable_acts: async ({ entries }, context) => {
      const { id: staffId } = memberOf(context)
      const justDone = new Date(context.now().getTime() - justDoneMs)
      const found = await entriesWhere(
        context.database.db,
        entries === undefined
          ? sql`e.id = (select max(id) from audit_entry where staff_id = ${staffId}) and e.at > ${justDone}`
          : sql`e.id = any(${entries}::bigint[])`,
      )
      return found
        .filter((entry) => isUndoable(entry, context))
        .map(({ id, action }) => ({ entry: String(id), action }))
    },
    undo_act: (input, context) => undo(input, context, handlers),
  }) satisfies Partial<DeskHandlers>
