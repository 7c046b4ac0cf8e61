/**
 * Step-up by sums: what a member gives away without a fresh second factor in 24 hours stays below the limits
 * of the settings, however many acts it is divided into. Acts with a fresh factor do not count. The sums are
 * those of the audit trail, so an act counts exactly if it was done, for every process of the desk.
 */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'

/** The amount of an act that counts towards the limits. */
export interface Stake {
  micros?: bigint
  bytes?: bigint
  /** The subject of the act. Several acts with the same subject count once. */
  of?: string
}

/** The author of a call that needs the second factor by daily sums. */
export interface StepUpGate {
  /** The second factor was proved in the last 10 minutes. */
  isFresh: boolean
  /** The unit in which the call declares what counts. */
  by: 'micros' | 'bytes'
  /** The sums from which a fresh second factor is required. */
  stepUpMicros: bigint
  stepUpBytes: bigint
}

const windowMs = 24 * 3_600_000

/** The columns of the trail that hold what was done without a fresh factor. */
export interface Unproven {
  unproven_micros: bigint | null
  unproven_bytes: bigint | null
  unproven_of: string | null
}

export const nothingUnproven: Unproven = { unproven_micros: null, unproven_bytes: null, unproven_of: null }

/**
 * Judges an act in its transaction and returns what the trail keeps of its worth. Refuses with
 * `step_up_needed`. The member is locked until the transaction ends, so that concurrent acts count each
 * other.
 */
export async function judgeStake(
  tx: Transaction<DB>,
  { staffId, gate }: { staffId: bigint; gate: StepUpGate },
  { micros, bytes, of }: Stake,
  now: Date,
): Promise<Unproven> {
  if (gate.isFresh) return nothingUnproven
  await tx.selectFrom('staff').select('id').where('id', '=', staffId).forNoKeyUpdate().executeTakeFirst()
  const { rows } = await sql<{ micros: bigint; bytes: bigint }>`
    select coalesce(sum(micros), 0)::bigint as micros, coalesce(sum(bytes), 0)::bigint as bytes from (
      select max(unproven_micros) as micros, max(unproven_bytes) as bytes from audit_entry
      where staff_id = ${staffId} and at > ${new Date(now.getTime() - windowMs)}
        and (unproven_micros is not null or unproven_bytes is not null)
        and (unproven_of is null or unproven_of is distinct from ${of ?? null}::text)
      group by coalesce(unproven_of, id::text)
    ) acts`.execute(tx)
  const before = rows[0] ?? { micros: 0n, bytes: 0n }
  const isOver =
    (micros !== undefined && before.micros + micros >= gate.stepUpMicros) ||
    (bytes !== undefined && before.bytes + bytes >= gate.stepUpBytes)
  if (isOver) throw new Refusal('step_up_needed')
  return { unproven_micros: micros ?? null, unproven_bytes: bytes ?? null, unproven_of: of ?? null }
}
