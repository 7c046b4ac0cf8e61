/**
 * Recovery codes: ten, each of which stands in for the second factor once. A code has 120 random bits, so a plain
 * SHA-256 is enough to store (OWASP ASVS 5.0, 6.5.2).
 */
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '#db'
import { randomText, sha256 } from '#lib/secret'

const count = 10
/** base32 (RFC 4648) in lower case. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
const digestOf = (code: string) => sha256(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))

/** Replaces the codes of a member by new ones and returns them, in groups of six characters. */
export async function newRecoveryCodes(tx: Transaction<DB>, staffId: bigint): Promise<string[]> {
  const codes = Array.from({ length: count }, () => randomText(24, alphabet))
  await tx.deleteFrom('staff_recovery_code').where('staff_id', '=', staffId).execute()
  await tx
    .insertInto('staff_recovery_code')
    .values(codes.map((code) => ({ staff_id: staffId, code_sha256: digestOf(code) })))
    .execute()
  return codes.map((code) => (code.match(/.{6}/g) ?? []).join('-'))
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
    .where('code_sha256', '=', digestOf(code))
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
