/** The record of sent notices: each crossing is reported once, despite restarts. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

export type Matter = 'share' | 'threshold' | 'hour' | 'day' | 'month'

export interface Occasion {
  accessId: bigint
  matter: Matter
  occasion: string
  /** For the same occasion only a higher level is reported. */
  level?: number
}

/** The occasions among these that were not reported yet. */
export async function untold<T extends Occasion>(db: Kysely<DB>, occasions: readonly T[]): Promise<T[]> {
  const { rows } = await sql<{ index: number }>`
    select o.index::int from unnest(${occasions.map(({ accessId }) => accessId)}::bigint[],
        ${occasions.map(({ matter }) => matter)}::text[], ${occasions.map(({ occasion }) => occasion)}::text[],
        ${occasions.map(({ level = 1 }) => level)}::int[]) with ordinality o (access_id, matter, occasion, level, index)
      left join notice_told t on t.access_id = o.access_id and t.matter = o.matter
    where t.occasion is distinct from o.occasion or t.level < o.level order by 1`.execute(db)
  return rows.flatMap(({ index }) => occasions[index - 1] ?? [])
}

/** Records a notice in the transaction that sends it. False: another process has sent it. */
export async function noteTold(tx: Kysely<DB>, told: Occasion, now: Date): Promise<boolean> {
  const { accessId, matter, occasion, level = 1 } = told
  const { rows } = await sql`
    insert into notice_told (access_id, matter, occasion, level, told_at)
    values (${accessId}, ${matter}, ${occasion}, ${level}, ${now})
    on conflict (access_id, matter) do update
      set occasion = excluded.occasion, level = excluded.level, told_at = excluded.told_at
      where notice_told.occasion <> excluded.occasion or notice_told.level < excluded.level
    returning 1`.execute(tx)
  return rows.length > 0
}
