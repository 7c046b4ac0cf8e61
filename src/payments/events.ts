/** Notifications as they came: stored before anything is made of them, and found again for another judgement. */
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { RawWebhook } from './method.ts'

export interface WebhookEvent extends RawWebhook {
  id: bigint
  method: string
  receivedAt: Date
  judgedAt: Date | null
  verdict: string | null
  invoiceNumber: string | null
  deliveries: number
}

/**
 * Keeps a notification exactly as it came, before anything is made of it. The same bytes again are the same row, counted;
 * its headers are those of the first delivery that was not forged. Returns the row's id.
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
      dedupe_key: createHash('sha256').update(webhook.body).digest('hex'),
      headers: JSON.stringify(webhook.headers),
      body: webhook.body,
      ip: webhook.ip,
      received_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['method', 'dedupe_key']).doUpdateSet((all) => {
        const kept = <Column extends 'headers' | 'ip' | 'received_at'>(column: Column) =>
          all
            .case()
            .when(sql<boolean>`coalesce(webhook_event.verdict, 'forged') = 'forged'`)
            .then(all.ref(`excluded.${column}`))
            .else(all.ref(`webhook_event.${column}`))
            .end()
        return {
          deliveries: sql<number>`webhook_event.deliveries + 1`,
          headers: kept('headers'),
          ip: kept('ip'),
          received_at: kept('received_at'),
        }
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** What says nothing new about a notification that has brought money. */
const afterwards = ['forged', 'known_payment', 'waiting', 'unreachable']

/**
 * Notes what was made of a notification, for the operator. A forged copy changes nothing about the genuine one, nor a
 * repeat about the one that was credited.
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
  if (verdict === 'forged') query = query.where(sql<boolean>`coalesce(verdict, 'forged') = 'forged'`)
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
    ip: row.ip ?? '',
    receivedAt: row.received_at,
    judgedAt: row.judged_at,
    verdict: row.verdict,
    invoiceNumber: row.invoice_number,
    deliveries: row.deliveries,
  }
}

/** One notification by its id; null when there is none. */
export async function findWebhook(db: Kysely<DB>, id: bigint): Promise<WebhookEvent | null> {
  const row = await events(db).where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : read(row)
}

/** Notifications, the newest first, of one method, with one verdict or about one invoice when asked. */
export async function listWebhooks(
  db: Kysely<DB>,
  filter: { method?: string; verdict?: string; invoice?: string; limit: number },
): Promise<WebhookEvent[]> {
  let query = events(db).orderBy('id', 'desc').limit(filter.limit)
  if (filter.method !== undefined) query = query.where('method', '=', filter.method)
  if (filter.verdict !== undefined) query = query.where('verdict', '=', filter.verdict)
  if (filter.invoice !== undefined) query = query.where('invoice_number', '=', filter.invoice)
  return (await query.execute()).map(read)
}

const keptForgedMs = 7 * 24 * 60 * 60_000

/** Forgets what was not genuine, so that strangers cannot fill the disk for good. */
export async function forgetForgedWebhooks(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('webhook_event')
    .where('verdict', '=', 'forged')
    .where('received_at', '<', new Date(now.getTime() - keptForgedMs))
    .execute()
}
