/** The desk's call that reads the audit trail. */
import type { DeskParsed } from '#contract/desk/contract'
import { Refusal } from '#lib/refusal'
import { type AuditFilter, listAudit } from './audit.ts'
import type { DeskHandlers } from './call.ts'

const idOf = (text: string | undefined) => (text === undefined ? undefined : BigInt(text))
const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text))

/** A day as the end of a period is included. */
const endOf = (text: string | undefined) =>
  text?.length === 10 ? new Date(Date.parse(text) + 86_400_000) : timeOf(text)

const filterOf = (input: DeskParsed<'audit'>): AuditFilter => ({
  text: input.text,
  action: input.action,
  subjectKind: input.subject_kind,
  subjectId: input.subject_id,
  staffId: idOf(input.staff_id),
  accountId: idOf(input.customer_id),
  from: timeOf(input.from),
  until: endOf(input.until),
})

const shown = (row: Awaited<ReturnType<typeof listAudit>>[number]) => ({
  id: String(row.id),
  at: row.at.toISOString(),
  actor: {
    kind: row.actor_kind as 'staff' | 'system' | 'anonymous',
    staff_id: row.staff_id === null ? null : String(row.staff_id),
    name: row.actor_name,
  },
  action: row.action,
  subject_kind: row.subject_kind,
  subject_id: row.subject_id,
  customer_id: row.account_id === null ? null : String(row.account_id),
  before: row.before,
  after: row.after,
  reason: row.reason,
  ip: row.ip,
  request_id: row.request_id,
})

export const auditCalls = {
  audit: async (input, { database }) => {
    const { after, limit = 50 } = input
    const page = { before: idAfter(after), limit: limit + 1 }
    const rows = await listAudit(database.db, filterOf(input), page)
    const shownRows = rows.slice(0, limit).map(shown)
    return { rows: shownRows, next: rows.length > limit ? (shownRows.at(-1)?.id ?? null) : null }
  },
} satisfies Partial<DeskHandlers>

/** The id of a page's cursor. Refuses with `invalid_after`. */
function idAfter(after: string | undefined): bigint | null {
  if (after === undefined) return null
  if (!/^\d{1,18}$/.test(after)) throw new Refusal('invalid_field', { field: 'after' })
  return BigInt(after)
}
