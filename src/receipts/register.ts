/** Sends due closing receipts, and polls processors for the state of receipts: they send no notifications. */
import type { ReceiptFault } from '#contract/desk/choices'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database, DB } from '#db'
import { askProcessors, type FoundReceipt, type PaymentMethods, type ProcessorFault } from '#payments'
import { contentOf } from './content.ts'
import type { ReceiptKind } from './list.ts'

/** The maximum number of receipts per run, so that a run ends before the next one begins. */
const batch = 100
/** The pause before a closing receipt is sent again. */
const pauseMs = 2 * 60_000
/**
 * How long a replacement for a cancelled receipt is searched for, counted from when it was sent.
 */
const replacedMs = 30 * 86_400_000

export interface RegisterDeps {
  methods: PaymentMethods
  /** Receives, for the log, the faults of processors. */
  noteFault: (method: string, fault: Error) => void
}

interface Claimed {
  id: bigint
  invoice_number: string
  account_id: bigint
  method: string
  kind: ReceiptKind
  /** `failed`: it was cancelled. */
  state: 'due' | 'pending' | 'failed'
  object_id: string
  receipt_id: string | null
  amount_micros: bigint
  /** It was claimed before. */
  is_repeated: boolean
}

/**
 * Sends the closing receipts that are due, once the receipt of their payment is registered, and asks about
 * those that a processor has: every minute in the first hour, every ten minutes in the first day, then every
 * hour. The operator may have requested a replacement for a cancelled receipt; it is searched for every hour
 * for a month. Returns how many are registered now.
 */
export async function registerReceipts(database: Database, deps: RegisterDeps, now: Date): Promise<number> {
  let registered = 0
  const ask = async (claimed: Claimed) => {
    const fiscal = deps.methods.find(claimed.method)?.fiscal
    if (fiscal === undefined) return
    const isRegistered =
      claimed.state === 'due'
        ? await close(database.db, fiscal, claimed, now)
        : await look(database.db, fiscal, claimed, now)
    if (isRegistered) registered++
  }
  await askProcessors(await claim(database.db, now), ask, {
    noteFault: deps.noteFault,
    onFault: (claimed, fault) => noteFault(database.db, claimed, fault),
  })
  return registered
}

type Fiscal = NonNullable<NonNullable<ReturnType<PaymentMethods['find']>>['fiscal']>

async function claim(db: Kysely<DB>, now: Date): Promise<Claimed[]> {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const { rows } = await sql<Claimed>`
    with open as (
      select r.id, r.checked_at from receipt r
      where r.registrar <> 'manual' and r.object_id is not null and (
        r.state = 'pending' and (
          r.checked_at is null or r.checked_at > ${now}
          or r.checked_at < case
            when r.pending_since > ${ago(3_600_000)} then ${ago(45_000)}::timestamptz
            when r.pending_since > ${ago(86_400_000)} then ${ago(600_000)}::timestamptz
            else ${ago(3_600_000)}::timestamptz end
        )
        or r.state = 'failed' and r.fault = ${'cancelled' satisfies ReceiptFault} and r.pending_since > ${ago(replacedMs)}
          and (r.checked_at is null or r.checked_at > ${now} or r.checked_at < ${ago(3_600_000)})
        or r.state = 'due' and r.kind = 'closing' and r.due_at <= ${now}
          and (r.checked_at is null or r.checked_at > ${now} or r.checked_at < ${ago(pauseMs)})
          and exists (
            select from receipt sale
            where sale.kind = 'payment' and sale.state = 'registered'
              -- Of a purchase that an advance paid: the receipt of the advance.
              and (sale.invoice_number = r.invoice_number or sale.object_id = r.object_id)
          )
      )
      order by r.checked_at nulls first, r.id limit ${batch} for update skip locked
    )
    update receipt r set checked_at = ${now} from open where r.id = open.id
    returning r.id, r.invoice_number, r.account_id, r.method, r.kind, r.state, r.object_id, r.receipt_id,
      r.amount_micros, open.checked_at is not null as is_repeated`.execute(db)
  return rows
}

/** Polls the state of a receipt at its processor. True: it is registered. */
async function look(db: Kysely<DB>, fiscal: Fiscal, claimed: Claimed, now: Date): Promise<boolean> {
  const { kind, object_id: objectId, receipt_id: receiptId, amount_micros: micros } = claimed
  const found = await fiscal.list(kind === 'refund' ? { refund: objectId } : { payment: objectId })
  return db.transaction().execute(async (tx) => {
    const others = kind === 'closing' ? await heldByOthers(tx, claimed) : null
    const isOfOther = (one: FoundReceipt) =>
      others !== null &&
      one.receiptId !== receiptId &&
      (one.settledMicros !== micros || others.includes(one.receiptId))
    // The closing receipt and the payment's receipt both belong to the payment.
    const same = found.filter((one) => one.kind === kind && !isOfOther(one))
    const own = same.find((one) => one.receiptId === receiptId)
    // The operator may have requested a replacement for a cancelled receipt.
    const isOpen = own !== undefined && own.status !== 'canceled'
    const valid = isOpen ? [own] : same.filter(({ status }) => status !== 'canceled')
    const one = valid.find(({ status }) => status === 'succeeded') ?? valid.at(-1) ?? own ?? same.at(-1)
    return one === undefined ? false : noteFound(tx, claimed, one, now)
  })
}

/**
 * The receipts that other purchases hold of the advance that paid this one; null: its payment is of this
 * purchase alone. Locks the receipt of the advance, so that two workers do not take one receipt for two
 * purchases.
 */
async function heldByOthers(tx: Transaction<DB>, claimed: Claimed): Promise<string[] | null> {
  const ofPayment = tx
    .selectFrom('receipt')
    .where('account_id', '=', claimed.account_id)
    .where('object_id', '=', claimed.object_id)
    .where('invoice_number', '<>', claimed.invoice_number)
  const advance = await ofPayment.select('id').where('kind', '=', 'payment').forUpdate().executeTakeFirst()
  if (advance === undefined) return null
  const held = await ofPayment
    .select('receipt_id')
    .where('kind', '=', 'closing')
    .where('receipt_id', 'is not', null)
    .$narrowType<{ receipt_id: string }>()
    .execute()
  return held.map(({ receipt_id: id }) => id)
}

async function noteFound(
  db: Kysely<DB>,
  { id }: Pick<Claimed, 'id'>,
  found: FoundReceipt,
  now: Date,
): Promise<boolean> {
  const isRegistered = found.status === 'succeeded'
  await db
    .updateTable('receipt')
    .set({
      receipt_id: found.receiptId,
      fiscal_provider_id: found.providerId,
      fault: found.status === 'canceled' ? ('cancelled' satisfies ReceiptFault) : null,
      ...(found.status === 'canceled' ? { state: 'failed' } : {}),
      // A replacement for a cancelled receipt, which is still pending itself.
      ...(found.status === 'pending' ? { state: 'pending' } : {}),
      ...(isRegistered
        ? {
            state: 'registered',
            fiscal_document_number: found.documentNumber,
            fiscal_storage_number: found.storageNumber,
            fiscal_attribute: found.attribute,
            registered_at: found.registeredAt ?? now,
          }
        : {}),
    })
    .where('id', '=', id)
    // Staff may have registered it by other means meanwhile.
    .where((eb) =>
      eb.or([
        eb('state', '=', 'pending'),
        eb.and([eb('state', '=', 'failed'), eb('fault', '=', 'cancelled' satisfies ReceiptFault)]),
      ]),
    )
    .execute()
  return isRegistered
}

/**
 * Sends a closing receipt, with its row locked until the answer: a refund in the meantime would change what
 * is closed. Those of one advance are sent one after another. If the lock is lost with its connection, the claim holds for two minutes, and the processor
 * knows a repetition.
 */
async function close(db: Kysely<DB>, fiscal: Fiscal, claimed: Claimed, now: Date): Promise<boolean> {
  // Not `transaction`, whose retry would send it again.
  return db.transaction().execute(async (tx) => {
    const others = await heldByOthers(tx, claimed)
    const row = await lockDue(tx, claimed.id)
    const receipt = row === undefined ? null : contentOf(row)
    if (row === undefined || receipt === null) return false
    const found = await fiscal.close({
      number: claimed.invoice_number,
      externalId: claimed.object_id,
      price: { currency: row.currency, micros: row.amount_micros },
      receipt,
      shared: others === null ? null : { others, isRepeated: claimed.is_repeated },
    })
    await tx
      .updateTable('receipt')
      .set({ state: 'pending', pending_since: now, receipt_id: found.receiptId })
      .where('id', '=', claimed.id)
      .execute()
    return noteFound(tx, claimed, found, now)
  })
}

const lockDue = (tx: Transaction<DB>, id: bigint) =>
  tx
    .selectFrom('receipt')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'due')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()

/** A permanent refusal by the processor is left to the operator; other failures are retried. */
async function noteFault(db: Kysely<DB>, { id, state }: Claimed, { outcome, message }: ProcessorFault) {
  const isOver = state === 'due' && outcome === 'refused'
  await db
    .updateTable('receipt')
    .set({ fault: message, ...(isOver ? { state: 'failed' } : {}) })
    .where('id', '=', id)
    .where('state', 'in', ['due', 'pending'])
    .execute()
}
