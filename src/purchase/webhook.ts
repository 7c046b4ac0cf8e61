/**
 * Notifications of processors: verified, stored as received, and settled by the processor's answer to a
 * query.
 */
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import {
  findWebhook,
  judgeWebhook,
  type PaymentMethod,
  ProcessorFault,
  type RawWebhook,
  storeForgedWebhook,
  storeWebhook,
} from '#payments'
import {
  type NoteVerdict,
  type PurchaseDeps,
  settle,
  type SettlementDeps,
  type Verdict,
} from './settlement.ts'

/** The dependencies for handling the notifications of processors. */
type WebhookDeps = SettlementDeps & Pick<PurchaseDeps, 'noteFault'>

export type WebhookVerdict = Verdict | 'ignored' | 'stale' | 'another_shop' | 'forged' | 'unreachable' | 'cut'

interface Judgement {
  verdict: WebhookVerdict
  invoiceNumber: string | null
}

/**
 * Receives a processor's notification: verifies it, calls `proved`, stores it raw, queries the processor,
 * settles. A genuine notification is answered with success, whatever its verdict. Others are refused with
 * `invalid_webhook_signature`, and only their beginning is stored; an unknown method is `not_found`; when the
 * processor cannot be queried, `temporarily_unavailable`. Any other failure is thrown, so that the processor
 * gets an error and repeats the notification.
 */
export async function receiveWebhook(
  database: Database,
  deps: WebhookDeps,
  webhook: RawWebhook & { method: string },
  now: Date,
  proved: () => void = () => undefined,
): Promise<WebhookVerdict> {
  const method = deps.methods.find(webhook.method)
  if (method === null) throw new Refusal('not_found')
  try {
    method.prove(webhook, now)
  } catch (error) {
    if (isForgery(error)) await storeForgedWebhook(database.db, method.name, webhook, now)
    throw error
  }
  proved()
  const id = await storeWebhook(database.db, method.name, webhook, now)
  return judgeStored(database, deps, { id, method, webhook, readAt: now }, now)
}

const isForgery = (error: unknown) => error instanceof Refusal && error.code === 'invalid_webhook_signature'

/**
 * Judges a stored notification again, as of the time of its arrival: after a wrong secret was corrected, for
 * example. `cut`: only its beginning was stored, so that it cannot be verified any more. Null: none has this
 * id. Refuses as `receiveWebhook`.
 */
export async function replayWebhook(
  database: Database,
  deps: WebhookDeps,
  id: bigint,
  now: Date,
  note?: NoteVerdict,
): Promise<WebhookVerdict | null> {
  const webhook = await findWebhook(database.db, id)
  if (webhook === null) return null
  if (webhook.bodyBytes > webhook.body.length) return 'cut'
  const method = deps.methods.get(webhook.method)
  method.prove(webhook, webhook.receivedAt)
  return judgeStored(database, deps, { id, method, webhook, readAt: webhook.receivedAt, note }, now)
}

interface Stored {
  id: bigint
  method: PaymentMethod
  webhook: RawWebhook
  /** The time that the notification's own time is compared with. */
  readAt: Date
  note?: NoteVerdict | undefined
}

async function judgeStored(
  database: Database,
  deps: WebhookDeps,
  stored: Stored,
  now: Date,
): Promise<WebhookVerdict> {
  const judged = (judgement: Judgement) => judgeWebhook(database.db, stored.id, judgement, now)
  try {
    const judgement = await actOn(database, deps, stored, now)
    if (!judgement.isNoted) await judged(judgement)
    return judgement.verdict
  } catch (error) {
    if (!(error instanceof ProcessorFault)) throw error
    deps.noteFault(stored.method.name, error)
    await judged({ verdict: 'unreachable', invoiceNumber: null })
    throw new Refusal('temporarily_unavailable', {}, 60)
  }
}

/** `isNoted`: the verdict is stored, in the transaction that settled the notification. */
async function actOn(
  database: Database,
  deps: WebhookDeps,
  { id, method, webhook, readAt, note }: Stored,
  now: Date,
): Promise<Judgement & { isNoted: boolean }> {
  const reading = method.read(webhook, readAt)
  if (reading.kind === 'nothing') return { verdict: reading.verdict, invoiceNumber: null, isNoted: false }
  const told =
    reading.kind === 'notification'
      ? reading.notification
      : ((await method.look?.(reading.externalId)) ?? null)
  if (told === null) return { verdict: 'unknown_invoice', invoiceNumber: null, isNoted: false }
  const { invoiceNumber } = told
  const verdict = await settle(database, deps, method.name, told, now, async (tx, judged) => {
    await note?.(tx, judged)
    await judgeWebhook(tx, id, { verdict: judged.verdict, invoiceNumber }, now)
  })
  return { verdict, invoiceNumber, isNoted: true }
}
