/** Keys of calls and their answers, as they are stored: each answer is sealed for one call. */
import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { SealedColumn } from '#db/sealed'
import { openOrNull, type Secrets } from '#lib/secret'

export interface Answer {
  status: number
  headers: Record<string, string>
  /** Text, or long text in UTF-8. */
  body: string | Buffer
}

/** A key of a customer. */
export interface Key {
  accountId: bigint
  key: string
}

/** A claim on the work of a key, identified by its name. */
export interface Claim {
  operation: string
  claim: string
}

/** A process that has not renewed its claim for this long is considered dead. */
const silentSeconds = 5

/** How long a key and its answer are kept. */
const kept = sql`interval '24 hours'`

/** 80 random bits: it may become an invoice's number, which must not be guessable. */
const newOperation = () => randomBytes(10).toString('hex')

/** Binds a sealed answer to its operation: copied to another row, it does not open. */
const aboutAnswer = (operation: string) => `answer:${operation}`

/** Claims the work of a key. Null: another request has done the work, or is doing it. */
export async function claimKey(
  db: Kysely<DB>,
  { accountId, key }: Key,
  sha256: Buffer,
): Promise<Claim | null> {
  const isOver = sql`known.created_at < now() - ${kept}`
  const { rows } = await sql<Claim>`
    insert into idempotency_key as known (account_id, key, request_sha256, operation, claim)
    values (${accountId}, ${key}, ${sha256}, ${newOperation()}, ${newOperation()})
    on conflict (account_id, key) do update set claim = excluded.claim, claimed_at = clock_timestamp(),
        operation = case when ${isOver} then excluded.operation else known.operation end,
        created_at = case when ${isOver} then excluded.created_at else known.created_at end,
        request_sha256 = excluded.request_sha256, status = null, answer_sealed = null
      where ${isOver} or known.status is null and known.request_sha256 = excluded.request_sha256
        and now() - known.claimed_at not between interval '-1 minute' and make_interval(secs => ${silentSeconds})
    returning operation, claim
  `.execute(db)
  return rows[0] ?? null
}

/**
 * Whether a key is stored for the call of this digest, and for a minute more: a key that ends before the call
 * claims it would be a new one.
 */
export async function isStored(db: Kysely<DB>, { accountId, key }: Key, sha256: Buffer): Promise<boolean> {
  const { rows } = await sql`
    select from idempotency_key
    where account_id = ${accountId} and key = ${key} and request_sha256 = ${sha256}
      and created_at >= now() - ${kept} + interval '1 minute'
  `.execute(db)
  return rows.length > 0
}

/** Renews a claim. */
export async function renewClaim(db: Kysely<DB>, { accountId, key }: Key, { claim }: Claim): Promise<void> {
  await sql`
    update idempotency_key set claimed_at = clock_timestamp()
    where account_id = ${accountId} and key = ${key} and status is null and claim = ${claim}
  `.execute(db)
}

/** Stores the answer; returns whether the claim is still held. */
export async function storeAnswer(
  db: Kysely<DB>,
  secrets: Secrets,
  { accountId, key, operation, claim }: Key & Claim,
  { status, headers, body }: Answer,
): Promise<boolean> {
  const sealed = secrets.seal(JSON.stringify({ headers, body: String(body) }), aboutAnswer(operation))
  const done = await sql`
    update idempotency_key set status = ${status}, answer_sealed = ${sealed}
    where account_id = ${accountId} and key = ${key} and status is null and claim = ${claim}
  `.execute(db)
  return done.numAffectedRows === 1n
}

/** Deletes a claimed key; returns whether the claim was still held. */
export async function deleteKey(db: Kysely<DB>, { accountId, key }: Key, { claim }: Claim): Promise<boolean> {
  const done = await sql`
    delete from idempotency_key
    where account_id = ${accountId} and key = ${key} and status is null and claim = ${claim}
  `.execute(db)
  return done.numAffectedRows === 1n
}

/** Releases the claim: the next request with the key takes it over immediately. */
export async function releaseClaim(db: Kysely<DB>, { accountId, key }: Key, { claim }: Claim): Promise<void> {
  await sql`
    update idempotency_key set claimed_at = 'epoch'
    where account_id = ${accountId} and key = ${key} and status is null and claim = ${claim}
  `.execute(db)
}

interface StoredCall {
  sha256: Buffer
  /** `unreadable`: sealed with a key that this process does not have; null: not answered yet. */
  answer: Answer | 'unreadable' | null
}

/** The call that has used a key, with its answer; null: there is none. */
export async function storedCall(
  db: Kysely<DB>,
  secrets: Secrets,
  { accountId, key }: Key,
): Promise<StoredCall | null> {
  const row = await db
    .selectFrom('idempotency_key')
    .select(['request_sha256', 'operation', 'status', 'answer_sealed'])
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirst()
  if (row === undefined) return null
  const { request_sha256: sha256, operation, status, answer_sealed: sealed } = row
  if (status === null || sealed === null) return { sha256, answer: null }
  const text = openOrNull(secrets, sealed, aboutAnswer(operation))
  if (text === null) return { sha256, answer: 'unreadable' }
  return { sha256, answer: { status, ...(JSON.parse(text) as Omit<Answer, 'status'>) } }
}

/** Deletes the answers that are stored for repeated calls of an account. */
export async function forgetAnswers(tx: Kysely<DB>, accountId: bigint): Promise<void> {
  await sql`delete from idempotency_key where account_id = ${accountId}`.execute(tx)
}

const deletedAtOnce = 10_000

/** Deletes keys that are older than 24 hours, with their answers. */
export async function forgetOldKeys(db: Kysely<DB>): Promise<void> {
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce;) {
    const done = await sql`
      delete from idempotency_key where (account_id, key) in (
        select account_id, key from idempotency_key where created_at < now() - ${kept}
        order by created_at limit ${deletedAtOnce})`.execute(db)
    deleted = Number(done.numAffectedRows ?? 0n)
  }
}

/** Few at a time: an answer may be as long as a list of 1,000 proxy users. */
const readAtOnce = 50

/** The stored answers of all customers. */
export const sealedAnswers: SealedColumn = {
  what: 'answers of repeated calls',
  async read(db, { after, limit }) {
    const [accountId = '0', key = ''] = after?.split(' ') ?? []
    const { rows } = await sql<{ accountId: bigint; key: string; operation: string; sealed: Buffer }>`
      select account_id as "accountId", key, operation, answer_sealed as sealed from idempotency_key
      where (account_id, key) > (${accountId}::bigint, ${key}) and answer_sealed is not null
      order by account_id, key limit ${Math.min(limit, readAtOnce)}`.execute(db)
    return rows.map(({ accountId: id, key: name, operation, sealed }) => ({
      key: `${id} ${name}`,
      sealed,
      about: aboutAnswer(operation),
      name: `account #${id}, a stored answer`,
    }))
  },
  async write(tx, { key: printed, sealed: before }, sealed) {
    const [accountId = '', key = ''] = printed.split(' ')
    const done = await sql`
      update idempotency_key set answer_sealed = ${sealed}
      where account_id = ${accountId}::bigint and key = ${key} and answer_sealed = ${before}`.execute(tx)
    return (done.numAffectedRows ?? 0n) > 0n
  },
}
