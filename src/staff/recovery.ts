/** The recovery codes of staff; see `#second-factors`. */
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '#db'
import { drawRecoveryCodes, recoveryDigest } from '#second-factors'

/** Replaces the codes of a member by new ones and returns them, in groups of six characters. */
export async function newRecoveryCodes(tx: Transaction<DB>, staffId: bigint): Promise<string[]> {
  const drawn = drawRecoveryCodes()
  // Of two at once the second removes the codes of the first.
  await tx.selectFrom('staff').select('id').where('id', '=', staffId).forUpdate().execute()
  await tx.deleteFrom('staff_recovery_code').where('staff_id', '=', staffId).execute()
  await tx
    .insertInto('staff_recovery_code')
    .values(drawn.map(({ digest }) => ({ staff_id: staffId, code_sha256: digest })))
    .execute()
  return drawn.map(({ code }) => code)
}

/** Uses up a code; false: it is unknown or was used. Of concurrent uses one succeeds. */
export async function spendRecoveryCode(
  tx: Transaction<DB>,
  { staffId, code }: { staffId: bigint; code: string },
  now: Date,
): Promise<boolean> {
  const used = await tx
    .updateTable('staff_recovery_code')
    .set({ used_at: now })
    .where('staff_id', '=', staffId)
    .where('code_sha256', '=', recoveryDigest(code))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return used.numUpdatedRows > 0n
}

/** How many codes are left. */
export async function recoveryCodesLeft(db: Kysely<DB>, staffId: bigint): Promise<number> {
  const { count: left } = await db
    .selectFrom('staff_recovery_code')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('staff_id', '=', staffId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(left)
}
