/** Saving a payment method with an order: the consent, and the method once the invoice is paid. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Language } from '#contract/language'
import { mostSavedMethods } from '#contract/topup/rules'
import { type Database, type DB, transaction } from '#db'
import { callerOf, type Context } from '#db/call'
import { Refusal } from '#lib/refusal'
import { askProcessors, type FoundMethod, refusedWishes } from '#payments'
import type { PurchaseDeps } from '#purchase'
import { type ConsentText, savingText } from './consent.ts'
import { cardText, keepMethod, lockTopUps } from './saved.ts'
import { sendConsent } from './tell.ts'

export interface TopUpDeps extends PurchaseDeps {
  /**
   * The payment methods that the operator allows to be charged without the customer; empty: the shop has no
   * automatic top-up.
   */
  automatic: ReadonlySet<string>
}

/** The customer and the origin of a consent. */
export interface Agreement {
  accountId: bigint
  text: ConsentText
  ip: string | null
  userAgent: string | null
}

/**
 * Checks that the hash sent by the caller is that of the text they agree to. Refuses with `consent_outdated`.
 */
export function agreementOf(context: Context, text: ConsentText, sha256: string): Agreement {
  if (text.sha256.toString('hex') !== sha256.toLowerCase()) throw new Refusal('consent_outdated')
  return { accountId: callerOf(context).id, text, ip: context.ip, userAgent: context.userAgent }
}

export const consentValues = ({ accountId, text, ip, userAgent }: Agreement, now: Date) => ({
  account_id: accountId,
  language: text.language,
  version: text.version,
  text: text.text,
  sha256: text.sha256,
  given_at: now,
  ip,
  user_agent: userAgent,
})

/**
 * The payment methods whose cards can be saved and charged: the operator allows them, and their processor
 * supports it.
 */
export const automaticMethods = ({ methods, automatic }: Pick<TopUpDeps, 'methods' | 'automatic'>) =>
  methods.list().filter(({ name, saved }) => automatic.has(name) && saved !== undefined)

/** The same without the methods that staff have stopped offering. */
export async function chargeableMethods(db: Kysely<DB>, deps: Pick<TopUpDeps, 'methods' | 'automatic'>) {
  const offered = await deps.methods.listOffered(db)
  return automaticMethods(deps).filter((method) => offered.includes(method))
}

/**
 * The payment methods that customers are offered to save, without those whose processor refuses this to the
 * shop.
 */
export async function savingMethods(
  db: Kysely<DB>,
  deps: Pick<TopUpDeps, 'methods' | 'automatic'>,
  now: Date,
): Promise<string[]> {
  const names: string[] = []
  for (const { name } of await chargeableMethods(db, deps))
    if (!(await refusedWishes(db, name, now)).includes('save_method')) names.push(name)
  return names
}

/**
 * Checks that a method of payment can be saved, and returns a function that stores the consent in the
 * transaction that writes the invoice. Refuses with `top_up_unavailable`, `consent_outdated`,
 * `not_for_reseller_token` and, in the transaction, `too_many_saved_methods`.
 */
export function agreeToSave(
  deps: Pick<TopUpDeps, 'methods' | 'automatic'>,
  context: Context,
  { method, consent }: { method: string; consent: string },
) {
  if (callerOf(context).reseller !== undefined) throw new Refusal('not_for_reseller_token')
  if (!automaticMethods(deps).some(({ name }) => name === method)) throw new Refusal('top_up_unavailable')
  const agreement = agreementOf(context, savingText(context.language), consent)
  return (tx: Transaction<DB>, invoice: { id: bigint; accountId: bigint }) =>
    noteSaving(tx, { agreement, method, invoiceId: invoice.id }, context.now())
}

async function noteSaving(
  tx: Transaction<DB>,
  { agreement, method, invoiceId }: { agreement: Agreement; method: string; invoiceId: bigint },
  now: Date,
): Promise<void> {
  const { count } = await tx
    .selectFrom('saved_method')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('account_id', '=', agreement.accountId)
    .executeTakeFirstOrThrow()
  if (count >= BigInt(mostSavedMethods))
    throw new Refusal('too_many_saved_methods', { limit: mostSavedMethods })
  await tx
    .insertInto('top_up_consent')
    .values({ ...consentValues(agreement, now), kind: 'save', invoice_id: invoiceId, method })
    .execute()
  await sendConsent(tx, agreement.accountId, agreement.text, now)
}

/** The text that the page of an order shows before the consent. */
export const savingConsent = (language: Language) => savingText(language)

/** Whether the method of a paid invoice is about to be known. */
export async function isSaving(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  const { rows } = await sql`
    select 1 from top_up_consent c join invoice i on i.id = c.invoice_id
    where c.account_id = ${accountId} and c.kind = 'save' and c.read_at is null and c.ended_at is null
      and i.received_micros > 0 limit 1`.execute(db)
  return rows.length > 0
}

interface Unread {
  id: bigint
  account_id: bigint
  method: string
  external_id: string | null
  is_paid: boolean
}

/** An unpaid invoice is ignored after this time. */
const unpaidMs = 3 * 24 * 60 * 60_000
/** Consents that one run reads at one processor. */
const batch = 100

/**
 * Asks the processors for the methods of paid invoices whose payers have agreed. Returns how many were saved.
 */
export async function readSavedMethods(database: Database, deps: TopUpDeps, now: Date): Promise<number> {
  const { rows } = await sql<Unread>`
    select * from (
      select c.id, c.account_id, c.method, i.external_id, i.received_micros > 0 as is_paid,
        row_number() over (partition by c.method order by c.id) as place
      from top_up_consent c join invoice i on i.id = c.invoice_id
      where c.kind = 'save' and c.read_at is null and c.ended_at is null
        and (i.received_micros > 0 or c.given_at < ${new Date(now.getTime() - unpaidMs)})
    ) unread where place <= ${batch} order by id`.execute(database.db)
  let saved = 0
  const keep = async (one: Unread, found: FoundMethod | null) => {
    if (await keepRead(database, deps, { one, found }, now)) saved += 1
  }
  await askProcessors(rows, async (one) => keep(one, await readOne(deps, one)), {
    noteFault: deps.noteFault,
    // It knows no such payment.
    onFault: async (one, { isOfRequest }) => (isOfRequest ? keep(one, null) : undefined),
  })
  return saved
}

/** The method that was saved with a payment; null: none was. */
async function readOne(
  { methods }: TopUpDeps,
  { method, external_id: externalId, is_paid: isPaid }: Unread,
): Promise<FoundMethod | null> {
  if (!isPaid || externalId === null) return null
  return (await methods.find(method)?.saved?.read(externalId)) ?? null
}

/** Records that the method of a payment was read, and saves it. */
function keepRead(
  database: Database,
  deps: TopUpDeps,
  { one, found }: { one: Unread; found: FoundMethod | null },
  now: Date,
): Promise<boolean> {
  const { account_id: accountId, method } = one
  return transaction(database.db, async (tx) => {
    await lockTopUps(tx, accountId)
    // Another worker may have read it, or the customer withdrawn it, meanwhile.
    const still = await tx
      .updateTable('top_up_consent')
      .set({ read_at: now, card: found === null ? null : cardText(found) })
      .where('id', '=', one.id)
      .where('read_at', 'is', null)
      .where('ended_at', 'is', null)
      .executeTakeFirst()
    if (still.numUpdatedRows === 0n || found === null) return false
    await keepMethod(tx, deps.secrets, { accountId, method, found }, now)
    return true
  })
}
