/** What processors bring: stored as it came, proven, and settled by what the processor says when it is asked itself. */
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import {
  findWebhook,
  judgeWebhook,
  type PaymentMethod,
  ProcessorFault,
  type RawWebhook,
  storeWebhook,
} from '#payments'
import { type PurchaseDeps, settle, settleFinding, type Verdict } from './settlement.ts'

export type WebhookVerdict = Verdict | 'ignored' | 'stale' | 'another_shop' | 'forged' | 'unreachable'

interface Judgement {
  verdict: WebhookVerdict
  invoiceNumber: string | null
}

/**
 * Takes a processor's notification: stores it raw, verifies it, asks the processor, settles. What is genuine is answered
 * well, whatever its verdict. Refuses with `invalid_webhook_signature`; an unknown method is `not_found`; when the
 * processor cannot be asked, `temporarily_unavailable`. Anything else that goes wrong is thrown, so that the processor
 * hears of a failure and sends it again.
 */
export async function receiveWebhook(
  database: Database,
  deps: PurchaseDeps,
  webhook: RawWebhook & { method: string },
  now: Date,
): Promise<WebhookVerdict> {
  const method = deps.methods.find(webhook.method)
  if (method === null) throw new Refusal('not_found')
  const id = await storeWebhook(database.db, method.name, webhook, now)
  return judgeStored(database, deps, { id, method, webhook, readAt: now }, now)
}

/**
 * Judges a stored notification once more, as if it came again when it came: after a wrong secret was put right, say.
 * Null: there is none with this id. Refuses as `receiveWebhook`.
 */
export async function replayWebhook(
  database: Database,
  deps: PurchaseDeps,
  id: bigint,
  now: Date,
): Promise<WebhookVerdict | null> {
  const webhook = await findWebhook(database.db, id)
  if (webhook === null) return null
  const method = deps.methods.get(webhook.method)
  return judgeStored(database, deps, { id, method, webhook, readAt: webhook.receivedAt }, now)
}

interface Stored {
  id: bigint
  method: PaymentMethod
  webhook: RawWebhook
  /** Its own time must fit this one. */
  readAt: Date
}

async function judgeStored(
  database: Database,
  deps: PurchaseDeps,
  stored: Stored,
  now: Date,
): Promise<WebhookVerdict> {
  const note = (judgement: Judgement) => judgeWebhook(database.db, stored.id, judgement, now)
  try {
    const judgement = await actOn(database, deps, stored, now)
    await note(judgement)
    return judgement.verdict
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_webhook_signature')
      await note({ verdict: 'forged', invoiceNumber: null })
    if (!(error instanceof ProcessorFault)) throw error
    deps.noteFault?.(stored.method.name, error)
    await note({ verdict: 'unreachable', invoiceNumber: null })
    throw new Refusal('temporarily_unavailable', {}, 60)
  }
}

async function actOn(
  database: Database,
  deps: PurchaseDeps,
  { method, webhook, readAt }: Stored,
  now: Date,
): Promise<Judgement> {
  const reading = method.read(webhook, readAt)
  if (reading.kind === 'nothing') return { verdict: reading.verdict, invoiceNumber: null }
  if (reading.kind === 'notification') {
    const { notification } = reading
    const verdict = await settle(database, deps, method.name, notification, now)
    return { verdict, invoiceNumber: notification.invoiceNumber }
  }
  const finding = (await method.look?.(reading.externalId)) ?? null
  if (finding === null) return { verdict: 'unknown_invoice', invoiceNumber: null }
  const verdict = await settleFinding(database, deps, method.name, finding, now)
  return { verdict, invoiceNumber: finding.invoiceNumber }
}
