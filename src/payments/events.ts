/**
 * Stored notifications. A verified notification is stored before it is processed, and can be judged again. Of
 * an unverified one only the beginning is stored for the operator, within bounds, because anyone can send
 * one.
 */
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { RawWebhook } from './method.ts'

export interface WebhookEvent extends RawWebhook {
  id: bigint
  /**
   * The length of the received body. When `body` is shorter, it is the beginning of one that was not genuine.
   */
  bodyBytes: number
  method: string
  receivedAt: Date
  judgedAt: Date | null
  verdict: string | null
  invoiceNumber: string | null
  deliveries: number
}

const keyOf = ({ body }: RawWebhook) => createHash('sha256').update(body).digest('hex')

/**
 * Stores a verified notification exactly as received. The same bytes received again increase the counter of
 * the same row; its headers are those of the first genuine delivery, and a truncated body from an earlier
 * forged delivery is completed. Returns the row's id.
 */
export async function storeWebhook(
  db: Kysely<DB>,
  method: string,
  webhook: RawWebhook,
  now: Date,
): Promise<bigint> {
  const row = await db
    .insertInto('webhook_event')
    .values({
      method,
      dedupe_key: keyOf(webhook),
      headers: JSON.stringify(webhook.headers),
      body: webhook.body,
      body_bytes: webhook.body.length,
      ip: webhook.ip,
      received_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['method', 'dedupe_key']).doUpdateSet((all) => {
        const kept = <Column extends 'headers' | 'body' | 'ip' | 'received_at'>(column: Column) =>
          all
            .case()
            .when(sql<boolean>`coalesce(webhook_event.verdict, 'forged') = 'forged'`)
            .then(all.ref(`excluded.${column}`))
            .else(all.ref(`webhook_event.${column}`))
            .end()
        return {
          deliveries: sql<number>`webhook_event.deliveries + 1`,
          headers: kept('headers'),
          body: kept('body'),
          ip: kept('ip'),
          received_at: kept('received_at'),
          verdict: sql`nullif(webhook_event.verdict, 'forged')`,
        }
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** The number of bytes stored of a forged notification's body, and of its headers. */
const forgedPartBytes = 4096

/**
 * The number of bytes stored of all forged notifications of a method together: some hundred of the largest.
 */
const forgedBytes = 4 * 1024 * 1024

/**
 * Stores the beginning of a notification that is not genuine, unless the bound of its method is reached.
 * Bytes equal to those of a stored notification, genuine or not, are only counted. When servers receive
 * forged notifications at the same time, each may pass the check, so that together they exceed the bound.
 */
export async function storeForgedWebhook(
  db: Kysely<DB>,
  method: string,
  webhook: RawWebhook,
  now: Date,
): Promise<void> {
  const { body, ip } = webhook
  const headers = JSON.stringify(firstOf(webhook.headers))
  await sql`
    insert into webhook_event
      (method, dedupe_key, headers, body, body_bytes, ip, received_at, judged_at, verdict)
    select ${method}, ${keyOf(webhook)}, ${headers}, ${body.subarray(0, forgedPartBytes)}, ${body.length}, ${ip},
      ${now}, ${now}, 'forged'
    where (
      select coalesce(sum(octet_length(body) + ${forgedPartBytes}::integer), 0)
      from webhook_event where method = ${method} and verdict = 'forged'
    ) < ${forgedBytes}
    on conflict (method, dedupe_key) do update set deliveries = webhook_event.deliveries + 1
  `.execute(db)
}

/** As many headers as fit into the stored part. */
function firstOf(headers: RawWebhook['headers']): RawWebhook['headers'] {
  let left = forgedPartBytes
  const fitting = Object.entries(headers).filter(([name, value]) => {
    left -= Buffer.byteLength(JSON.stringify([name, value]))
    return left >= 0
  })
  return Object.fromEntries(fitting)
}

/** Verdicts that do not replace `credited`. */
const afterwards = ['known_payment', 'waiting', 'unreachable']

/**
 * Stores the verdict on a genuine notification, for the operator. A repetition does not change the verdict of
 * one that was credited.
 */
export async function judgeWebhook(
  db: Kysely<DB>,
  id: bigint,
  { verdict, invoiceNumber }: { verdict: string; invoiceNumber: string | null },
  now: Date,
): Promise<void> {
  let query = db
    .updateTable('webhook_event')
    .set({ verdict, judged_at: now, invoice_number: invoiceNumber })
    .where('id', '=', id)
  if (afterwards.includes(verdict)) query = query.where(sql<boolean>`verdict is distinct from 'credited'`)
  await query.execute()
}

const events = (db: Kysely<DB>) => db.selectFrom('webhook_event').selectAll()

function read(row: Awaited<ReturnType<ReturnType<typeof events>['executeTakeFirstOrThrow']>>): WebhookEvent {
  return {
    id: row.id,
    method: row.method,
    headers: row.headers as WebhookEvent['headers'],
    body: row.body,
    bodyBytes: row.body_bytes,
    ip: row.ip ?? '',
    receivedAt: row.received_at,
    judgedAt: row.judged_at,
    verdict: row.verdict,
    invoiceNumber: row.invoice_number,
    deliveries: row.deliveries,
  }
}

/** One notification by its id; null when it does not exist. */
export async function findWebhook(db: Kysely<DB>, id: bigint): Promise<WebhookEvent | null> {
  const row = await events(db).where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : read(row)
}

/** Notifications, newest first, optionally of one method, with one verdict or about one invoice. */
export async function listWebhooks(
  db: Kysely<DB>,
  filter: { method?: string; verdict?: string; invoice?: string; before?: bigint; limit: number },
): Promise<WebhookEvent[]> {
  let query = events(db).orderBy('id', 'desc').limit(filter.limit)
  if (filter.before !== undefined) query = query.where('id', '<', filter.before)
  if (filter.method !== undefined) query = query.where('method', '=', filter.method)
  if (filter.verdict !== undefined) query = query.where('verdict', '=', filter.verdict)
  if (filter.invoice !== undefined) query = query.where('invoice_number', '=', filter.invoice)
  return (await query.execute()).map(read)
}

/**
 * `webhookCounts` counts this many of the latest notifications: older ones do not describe a processor's
 * present state.
 */
const countedWebhooks = 20_000

/**
 * The last notifications by method and verdict (null: not judged yet): how many, and when the last one came.
 */
export async function webhookCounts(
  db: Kysely<DB>,
): Promise<{ method: string; verdict: string | null; count: bigint; lastAt: Date }[]> {
  const { rows } = await sql<{ method: string; verdict: string | null; count: bigint; lastAt: Date }>`
    select method, verdict, count(*) as count, max(received_at) as "lastAt" from (
      select method, verdict, received_at from webhook_event order by id desc limit ${countedWebhooks}
    ) lately group by method, verdict order by method, count desc`.execute(db)
  return rows
}

const keptForgedMs = 7 * 24 * 60 * 60_000

/** Deletes forged notifications, which makes room for others. */
export async function forgetForgedWebhooks(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('webhook_event')
    .where('verdict', '=', 'forged')
    .where('received_at', '<', new Date(now.getTime() - keptForgedMs))
    .execute()
}

/**
 * Removes what processors wrote in their notifications about these invoices; that they came, when, and the
 * verdict stay.
 */
export async function blankWebhooks(db: Kysely<DB>, invoiceNumbers: readonly string[]): Promise<void> {
  await sql`
    update webhook_event set headers = '{}', body = '', ip = null
    where invoice_number = any(${[...invoiceNumbers]}::text[])`.execute(db)
}
