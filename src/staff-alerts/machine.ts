/** Findings of machines about themselves: only a local process can check a disk or a certificate. */
import { type Kysely, sql } from 'kysely'
import type { MachineKind } from '#contract/desk/alerts'
import { type DB, transaction } from '#db'
import type { Need } from './need.ts'

export interface Finding {
  kind: MachineKind
  /** What it is about: a file, a folder. */
  label: string
}

/** A machine that stops reporting may have a full disk: its last report is valid for a day. */
const keptMs = 24 * 60 * 60_000

/** Replaces a machine's earlier findings with its current ones. */
export function noteFindings(
  db: Kysely<DB>,
  machine: string,
  findings: readonly Finding[],
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    await sql`delete from machine_finding where machine = ${machine}`.execute(tx)
    await sql`
      insert into machine_finding (machine, kind, label, told_at)
      select ${machine}, kind, label, ${now}
      from unnest(${findings.map(({ kind }) => kind)}::text[], ${findings.map(({ label }) => label)}::text[]) f(kind, label)
      on conflict do nothing`.execute(tx)
  })
}

/** The recent findings of all machines. */
export async function machineNeeds(db: Kysely<DB>, now: Date): Promise<Need[]> {
  const rows = await db
    .selectFrom('machine_finding')
    .select(['machine', 'kind', 'label'])
    .where('told_at', '>', new Date(now.getTime() - keptMs))
    .orderBy('machine')
    .orderBy('label')
    .execute()
  return [...Map.groupBy(rows, ({ kind }) => kind as MachineKind)].map(([kind, found]) => ({
    kind,
    count: found.length,
    subjects: found.map(({ machine, label }) => ({
      key: `${machine} ${label}`,
      label: `${machine}: ${label}`,
    })),
  }))
}
