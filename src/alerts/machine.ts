/** What machines say of themselves: a disk or a certificate is seen by the process beside it only. */
import { type Kysely, sql } from 'kysely'
import type { MachineKind } from '#contract/desk/alerts'
import { type DB, transaction } from '#db'
import type { Need } from './need.ts'

export interface Finding {
  kind: MachineKind
  /** What it is about: a file, a folder. */
  label: string
}

/** A machine that stops telling may be the one whose disk is full: what it said last holds for a day. */
const keptMs = 24 * 60 * 60_000

/** Takes all that a machine finds of itself at present, in place of what it found before. */
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

/** What machines have found of themselves lately. */
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
