/** The desk's calls that undo acts: the inverse is an ordinary call, with its own checks and its own entry. */
import { type Kysely, sql } from 'kysely'
import type { DeskCall } from '#contract/desk/call'
import { isUndoableAct, type UndoableAct } from '#contract/desk/undoable'
import { deskWire, mayCall } from '#contract/desk/wire'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { steppedUpUntil } from '#staff'
import { type DeskContext, type DeskHandlers, memberOf } from '#staff/call'
import { type ActEntry, inverseOf, overtakenBy } from './inverses.ts'

/** Older acts are not undone: too much may rest on them. */
const undoableMs = 7 * 24 * 3_600_000
/** How long the last act is offered to be undone. */
const justDoneMs = 60_000

interface Asked extends ActEntry {
  at: Date
  subjectKind: string
}

interface Neighbours {
  previous: ActEntry | null
  /** Who made the next act on the same; null: there is none. */
  overtakenBy: string | null
}

const columns = [
  'id',
  'at',
  'action',
  'subject_kind as subjectKind',
  'subject_id as subjectId',
  'before',
  'after',
  'reason',
] as const

/** The entries before and after one that changed the same. */
async function neighboursOf(db: Kysely<DB>, entry: Asked & { action: UndoableAct }): Promise<Neighbours> {
  const same = db
    .selectFrom('audit_entry')
    .where('subject_kind', '=', entry.subjectKind)
    .where('subject_id', '=', entry.subjectId)
    .where('action', 'in', [...overtakenBy(entry.action)])
  const [previous, next] = await Promise.all([
    same.select(columns).where('id', '<', entry.id).orderBy('id', 'desc').limit(1).executeTakeFirst(),
    same.select('actor_name as by').where('id', '>', entry.id).orderBy('id').limit(1).executeTakeFirst(),
  ])
  return { previous: previous ?? null, overtakenBy: next?.by ?? null }
}

const reasonOf = (id: bigint, language: 'ru' | 'en') =>
  language === 'ru' ? `Возврат к тому, что было до записи ${id}` : `Undoes entry ${id}`

/**
 * The call by which this member undoes an entry. Refuses with `act_not_undoable`, `no_permission` and
 * `act_overtaken`, in this order: who may not change something is not told who did.
 */
async function inverseFor(entry: Asked, context: DeskContext, reason?: string) {
  const { database, language, now } = context
  const { role } = memberOf(context)
  const { action } = entry
  if (!isUndoableAct(action) || now().getTime() - entry.at.getTime() > undoableMs)
    throw new Refusal('act_not_undoable')
  const { previous, overtakenBy: by } = await neighboursOf(database.db, { ...entry, action })
  const inverse = inverseOf(entry, { previous, reason: reason ?? reasonOf(entry.id, language) })
  if (inverse === null) throw new Refusal('act_not_undoable')
  if (!mayCall(role, inverse.call)) throw new Refusal('no_permission', { role })
  if (by !== null) throw new Refusal('act_overtaken', { by })
  return inverse
}

/** Whether the member may undo the entry now. */
async function isUndoable(entry: Asked, context: DeskContext): Promise<boolean> {
  try {
    await inverseFor(entry, context)
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
  const entry = await context.database.db
    .selectFrom('audit_entry')
    .select(columns)
    .where('id', '=', BigInt(id))
    .executeTakeFirst()
  if (entry === undefined) throw new Refusal('entry_not_found')
  const { call, input } = await inverseFor(entry, context, reason)
  const { stepUp }: DeskCall = deskWire[call]
  if (stepUp !== 'never' && steppedUpUntil(memberOf(context), context.now()) === null)
    throw new Refusal('step_up_needed')
  const handler = handlers[call] as (input: unknown, context: DeskContext) => Promise<unknown>
  await handler(input, context)
  return { action: call }
}

/** `handlers`: those of all calls that undo something. */
export const undoCalls = (handlers: Partial<DeskHandlers>) =>
  ({
    undoable_acts: async ({ entries }, context) => {
      const { id: staffId } = memberOf(context)
      const query = context.database.db.selectFrom('audit_entry').select(columns)
      const justDone = new Date(context.now().getTime() - justDoneMs)
      const found = await (
        entries === undefined
          ? query.where('staff_id', '=', staffId).where('at', '>', justDone).orderBy('id', 'desc').limit(1)
          : query.where('id', '=', sql<bigint>`any(${entries}::bigint[])`)
      ).execute()
      const answers = await Promise.all(
        found.map(async (entry) => ((await isUndoable(entry, context)) ? [entry] : [])),
      )
      return answers.flat().map(({ id, action }) => ({ entry: String(id), action }))
    },
    undo_act: (input, context) => undo(input, context, handlers),
  }) satisfies Partial<DeskHandlers>
