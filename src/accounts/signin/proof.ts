/**
 * Whether the holder of a session was recently proved to be the account's owner: by the sign-in itself, and
 * later by a second factor or, without one, by the password.
 */
import type { Kysely } from 'kysely'
import type { Proof } from '#contract/call'
import type { DB } from '#db'
import { type Caller, callerOf, type Context, personBehind } from '#db/call'
import { accountFactors } from '#second-factors'
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
  return proofUntil(row?.proved_at ?? null, now)
}

/** Until when a proof that was made at `provedAt` is valid; null: it is not. */
export function proofUntil(provedAt: Date | null, now: Date): Date | null {
  if (provedAt === null || provedAt > now) return null
  const until = new Date(provedAt.getTime() + provenMs)
  return until > now ? until : null
}

/**
 * Refuses with `proof_needed` unless the session's owner was proved in the last ten minutes, if the call
 * needs that. A call that needs the proof only `with a second factor` verifies accounts without one by
 * itself, for example by the password.
 */
export async function needProof(
  db: Kysely<DB>,
  need: Proof,
  {
    accountId,
    tokenSha256,
    provedAt = null,
  }: Pick<Caller, 'tokenSha256' | 'provedAt'> & { accountId: bigint },
  now: Date,
): Promise<void> {
  // Authentication has read the session a moment ago: a valid proof suffices for every need.
  if (need === 'none' || proofUntil(provedAt, now) !== null) return
  if (need === 'with a second factor' && (await accountFactors(db, accountId)).length === 0) return
  if ((await provenUntil(db, tokenSha256, now)) === null) throw new Refusal('proof_needed')
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

/**
 * Refuses with `proof_needed` a session whose owner was not proved in the last ten minutes; for calls that
 * need the proof only with some of their inputs. API tokens need no proof.
 */
export async function needOwner(context: Context): Promise<void> {
  const caller = callerOf(context)
  const { tokenSha256, provedAt, reseller } = caller
  if (reseller !== undefined) return
  const session = { accountId: personBehind(caller), tokenSha256, provedAt }
  await needProof(context.database.db, 'always', session, context.now())
}
