/**
 * Idempotency-Key: the first call with a key does the work, its repeats get the same answer for 24 hours.
 *
 * The key's row is written before the work and answered after it. A refused call frees its key: nothing was done,
 * and the caller may mend the reason and try again. A key left open by a killed process is freed after a minute.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'

export interface Idempotent {
  status: number
  headers: Record<string, string>
  body: string
}

interface Request {
  accountId: bigint
  key: string
  name: string
  input: unknown
}

const visibleAscii = /^[\x21-\x7e]{1,255}$/

export async function once(
  database: Database,
  request: Request,
  run: () => Promise<Idempotent>,
): Promise<Idempotent> {
  if (!visibleAscii.test(request.key)) throw new Refusal('invalid_idempotency_key')
  const sha256 = createHash('sha256')
    .update(JSON.stringify([request.name, request.input]))
    .digest()
  const { db } = database
  await sql`
    delete from idempotency_key
    where account_id = ${request.accountId} and key = ${request.key}
      and (created_at < now() - interval '24 hours' or (status is null and created_at < now() - interval '1 minute'))
  `.execute(db)
  const claimed = await db
    .insertInto('idempotency_key')
    .values({ account_id: request.accountId, key: request.key, request_sha256: sha256 })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (claimed.numInsertedOrUpdatedRows !== 1n) return replay(database, request, sha256)

  try {
    const answer = await run()
    await db
      .updateTable('idempotency_key')
      .set({ status: answer.status, headers: JSON.stringify(answer.headers), body: answer.body })
      .where('account_id', '=', request.accountId)
      .where('key', '=', request.key)
      .execute()
    return answer
  } catch (error) {
    await db
      .deleteFrom('idempotency_key')
      .where('account_id', '=', request.accountId)
      .where('key', '=', request.key)
      .execute()
    throw error
  }
}

async function replay(database: Database, request: Request, sha256: Buffer): Promise<Idempotent> {
  const row = await database.db
    .selectFrom('idempotency_key')
    .select(['request_sha256', 'status', 'headers', 'body'])
    .where('account_id', '=', request.accountId)
    .where('key', '=', request.key)
    .executeTakeFirst()
  if (row !== undefined && !row.request_sha256.equals(sha256)) throw new Refusal('idempotency_key_reused')
  if (row === undefined || row.status === null) throw new Refusal('idempotency_key_busy', {}, 1)
  return { status: row.status, headers: (row.headers ?? {}) as Record<string, string>, body: row.body ?? '' }
}
