/**
 * Idempotency-Key: the first call with a key does the work, and repetitions get the same answer for 24 hours,
 * with the header `idempotency-replayed: true`.
 *
 * The key's row is written before the work and completed after it. The process may be killed, or the database
 * lost, between the two; so the row also keeps the operation's id, under which all results of the work are
 * stored. A request that takes the key over performs the same operation, which finds the results that exist
 * already. A refused call releases its key: nothing was done, and the caller may correct the request and
 * repeat it.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database, DB } from '#db'
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

/** A claim on the work of a key, identified by its name. */
interface Claim {
  operation: string
  claim: string
}

/**
 * The process that does the work renews its claim at this interval, and is considered dead after this time
 * without a renewal.
 */
const signEveryMs = 1000
const silentSeconds = 5

const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** 80 random bits: it may become an invoice's number, which must not be guessable. */
const newOperation = () => randomBytes(10).toString('hex')

/** Does the work of a key once; `run` gets the operation's id, the same for every repetition. */
export async function once(
  database: Database,
  request: Request,
  run: (operation: string) => Promise<Idempotent>,
): Promise<Idempotent> {
  if (!visibleAscii.test(request.key)) throw new Refusal('invalid_idempotency_key')
  const sha256 = createHash('sha256')
    .update(JSON.stringify([request.name, request.input]))
    .digest()
  const claim = await claimKey(database, request, sha256)
  if (claim === null) return replay(database, request, sha256)
  const signs = setInterval(() => void sign(database, request, claim).catch(() => undefined), signEveryMs)
  try {
    const answer = await run(claim.operation)
    await note(database, request, answer)
    return answer
  } catch (error) {
    if (error instanceof Refusal) await free(database, request, claim)
    // The extent of the work is unknown. The failure is answered even when the claim cannot be released: it
    // expires.
    else await giveUp(database, request, claim).catch(() => undefined)
    throw error
  } finally {
    clearInterval(signs)
  }
}

/**
 * Whether a request with this key was admitted before. Its work may be done already, so admission is not
 * checked again. A key is stored only for an admitted request.
 */
export async function isAdmitted({ db }: Database, { accountId, key }: Pick<Request, 'accountId' | 'key'>) {
  const { rows } = await sql`
    select from idempotency_key
    where account_id = ${accountId} and key = ${key} and created_at >= now() - interval '24 hours'
  `.execute(db)
  return rows.length > 0
}

/** Null: another request has done the work, or is doing it. */
async function claimKey(
  { db }: Database,
  { accountId, key }: Request,
  sha256: Buffer,
): Promise<Claim | null> {
  await sql`
    delete from idempotency_key
    where account_id = ${accountId} and key = ${key} and created_at < now() - interval '24 hours'
  `.execute(db)
  const { rows } = await sql<Claim>`
    insert into idempotency_key as known (account_id, key, request_sha256, operation, claim)
    values (${accountId}, ${key}, ${sha256}, ${newOperation()}, ${newOperation()})
    on conflict (account_id, key) do update set claim = excluded.claim, claimed_at = clock_timestamp()
      where known.status is null and known.request_sha256 = excluded.request_sha256
        and now() - known.claimed_at not between interval '-1 minute' and make_interval(secs => ${silentSeconds})
    returning operation, claim
  `.execute(db)
  return rows[0] ?? null
}

/** Deletes the answers that are stored for repeated calls of an account. */
export async function forgetAnswers(tx: Kysely<DB>, accountId: bigint): Promise<void> {
  await sql`delete from idempotency_key where account_id = ${accountId}`.execute(tx)
}

async function sign({ db }: Database, { accountId, key }: Request, { claim }: Claim): Promise<void> {
  await sql`
    update idempotency_key set claimed_at = clock_timestamp()
    where account_id = ${accountId} and key = ${key} and status is null and claim = ${claim}
  `.execute(db)
}

async function note({ db }: Database, { accountId, key }: Request, answer: Idempotent): Promise<void> {
  await db
    .updateTable('idempotency_key')
    .set({ status: answer.status, headers: JSON.stringify(answer.headers), body: answer.body })
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .execute()
}

async function free({ db }: Database, { accountId, key }: Request, { claim }: Claim): Promise<void> {
  await sql`
    delete from idempotency_key
    where account_id = ${accountId} and key = ${key} and status is null and claim = ${claim}
  `.execute(db)
}

/** Releases the claim: the next request with the key takes it over immediately. */
async function giveUp({ db }: Database, { accountId, key }: Request, { claim }: Claim): Promise<void> {
  await sql`
    update idempotency_key set claimed_at = 'epoch'
    where account_id = ${accountId} and key = ${key} and status is null and claim = ${claim}
  `.execute(db)
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
  return {
    status: row.status,
    headers: { ...(row.headers as Record<string, string> | null), 'idempotency-replayed': 'true' },
    body: row.body ?? '',
  }
}
