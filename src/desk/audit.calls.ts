/** The desk's call that reads the audit trail. */
import type { DeskParsed } from '#contract/desk/contract'
import { type AuditFilter, listAudit } from '#staff'
import type { DeskHandlers } from '#staff/call'
import { ownersOf } from './lists/owners.ts'
import { bigintOf, endOf, idAfter, pageOf, timeOf } from './lists/page.ts'

const filterOf = (input: DeskParsed<'audit'>, zone: string): AuditFilter => ({
  text: input.text,
  action: input.action,
  subjectKind: input.subject_kind,
  subjectId: input.subject_id,
  staffId: bigintOf(input.staff_id),
  accountId: bigintOf(input.customer_id),
  from: timeOf(input.from, zone),
  until: endOf(input.until, zone),
})

type Row = Awaited<ReturnType<typeof listAudit>>[number]

const shown = (row: Row, names: Awaited<ReturnType<typeof ownersOf>>) => ({
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
  customer_name: row.account_id === null ? null : (names.get(row.account_id)?.username ?? null),
})

export const auditCalls = {
  audit: async (input, { database, zone }) => {
    const { after, limit = 50 } = input
    const page = { before: idAfter(after), limit: limit + 1 }
    const rows = await listAudit(database.db, filterOf(input, zone), page)
    const names = await ownersOf(
      database.db,
      rows.map(({ account_id: id }) => id),
    )
    return pageOf(rows, limit, { next: ({ id }) => String(id), shown: (row) => shown(row, names) })
  },
} satisfies Partial<DeskHandlers>
