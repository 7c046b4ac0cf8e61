/**
 * Whether the holder of a session was recently proved to be the account's owner: by the sign-in itself, and
 * later by a second factor or, without one, by the password.
 */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { callerOf, type Context } from '#db/call'
import { accountFactors } from '#factors'
import { Refusal } from '#lib/refusal'

/** How long a proof is valid. */
const provenMs = 10 * 60_000

/** Until when the session's last proof is valid; null: there is none. */
export async function provenUntil(db: Kysely<DB>, tokenSha256: Buffer, now: Date): Promise<Date | null> {
  const row = await db
    .selectFrom('session')
    .select('proved_at')
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst()
  const provedAt = row?.proved_at ?? null
  if (provedAt === null || provedAt > now) return null
  const until = new Date(provedAt.getTime() + provenMs)
  return until > now ? until : null
}

/** Refuses with `proof_needed` unless the session's owner was proved in the last ten minutes. */
export async function needProof(db: Kysely<DB>, tokenSha256: Buffer, now: Date): Promise<void> {
  if ((await provenUntil(db, tokenSha256, now)) === null) throw new Refusal('proof_needed')
}

/**
 * Refuses a session whose owner was not proved in the last ten minutes with `proof_needed`: for acts whose
 * effect outlives the session, and for acts that would hide a theft. A program's token needs no proof.
 */
export async function needOwner(context: Context): Promise<void> {
  const { tokenSha256, reseller } = callerOf(context)
  if (reseller === undefined) await needProof(context.database.db, tokenSha256, context.now())
}

/**
 * The same, only where the account has second factors: otherwise the call itself asks for the password.
 */
export async function needFactorProof(
  db: Kysely<DB>,
  { accountId, tokenSha256 }: { accountId: bigint; tokenSha256: Buffer },
  now: Date,
): Promise<void> {
  if ((await accountFactors(db, accountId)).length > 0) await needProof(db, tokenSha256, now)
}

/** Whether a second factor has proved the owner of a session within the last ten minutes. */
export async function provenByFactor(db: Kysely<DB>, tokenSha256: Buffer, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('session')
    .select('factor_at')
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst()
  const at = row?.factor_at ?? null
  return at !== null && at <= now && now.getTime() - at.getTime() < provenMs
}

/** Notes that the owner of a session was proved by a second factor. */
export async function noteFactor(db: Kysely<DB>, tokenSha256: Buffer, now: Date): Promise<void> {
  await db
    .updateTable('session')
    .set({ proved_at: now, factor_at: now })
    .where('token_sha256', '=', tokenSha256)
    .execute()
}

/** Notes that the owner of a session was proved; false: the session has ended. */
export async function noteProof(db: Kysely<DB>, tokenSha256: Buffer, now: Date): Promise<boolean> {
  const noted = await db
    .updateTable('session')
    .set({ proved_at: now })
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst()
  return noted.numUpdatedRows > 0n
}
