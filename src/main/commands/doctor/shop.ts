/** The checks of doctor on sales: prices, exits, payment methods, inventory and backups. */
import type { Kysely } from 'kysely'
import { isAnybodyTold } from '#staff-alerts'
import { basePrices } from '#catalog'
import { defaultBrandName, draftTitle, legalGaps, readContent } from '#content'
import { methodTitle } from '#contract/invoices'
import type { LegalPage } from '#contract/legal/pages'
import { poolNames } from '#contract/pools'
import { type Pool, pools } from '#contract/wire'
import { databaseTime, type DB, lastBackup, lastRestoreTry } from '#db'
import { isSellerSet } from '#documents'
import { belowCostNow, lowStocks } from '#desk'
import { listExits, showExits } from '#exits'
import { isDemoInventory } from '#inventory'
import type { Secrets } from '#lib/secret'
import { mailTestedAt } from '#mail'
import type { PaymentMethods } from '#payments'
import { listRates, rateState, readRateLimits } from '#rates'
import { countDue, hasSold } from '#purchase'
import { heldByPool } from '#traffic'
import { mailServerOf } from '../../connections.ts'
import type { Services } from '../../services.ts'
import { isLocalHost, type Settings } from '../../settings/settings.ts'
import { type ShopCheck, shopCheckOf, wholeDays } from './check.ts'

export async function shopChecks({
  database: { db },
  methods,
  secrets,
  settings,
}: Services): Promise<ShopCheck[]> {
  const now = await databaseTime(db)
  return [
    await brandCheck(db),
    await priceCheck(db),
    ...(await unsoldChecks(db, secrets)),
    ...(await exitChecks(db, secrets)),
    ...(await stockChecks(db, secrets, now)),
    ...(await paymentChecks(db, methods, now)),
    await purchaseCheck(db),
    ...receiptChecks(settings),
    await inventoryCheck(db, settings),
    await sellerCheck(db, settings, now),
    await contactsCheck(db, settings),
    ...(await legalChecks(db, settings)),
    await alertsCheck(db, settings),
    await mailSettingCheck(db, settings),
    botCheck(settings),
    ...(settings.databaseUrl === null && !settings.demo
      ? [await backupCheck(db, now), ...(await restoreChecks(db, now))]
      : []),
  ]
}

/** Whether the shop has a name of its own. */
async function brandCheck(db: Kysely<DB>): Promise<ShopCheck> {
  const check = shopCheckOf('brand')
  const { name } = (await readContent(db)).brand
  return name === defaultBrandName ? check('ok', 'brand_default') : check('ok', 'brand_good', { name })
}

/** Whether any payment has arrived, also one of a test purchase. */
async function purchaseCheck(db: Kysely<DB>): Promise<ShopCheck> {
  return shopCheckOf('purchase')('ok', (await hasSold(db)) ? 'purchase_good' : 'purchase_none')
}

/** Where letters go, and whether a test letter went there; whether that server takes them now is `mailCheck`'s. */
async function mailSettingCheck(
  db: Kysely<DB>,
  settings: Pick<Settings, 'mail' | 'publicUrl'>,
): Promise<ShopCheck> {
  const check = shopCheckOf('mail')
  const { publicUrl } = settings
  const server = mailServerOf(settings)
  if (server !== null) {
    const host = `${server.host}:${server.port}`
    const at = await mailTestedAt(db, server)
    return at === null
      ? check('ok', 'mail_untested', { host })
      : check('ok', 'mail_tested', { host, day: at.toISOString().slice(0, 10) })
  }
  return isLocalHost(publicUrl.hostname) ? check('ok', 'mail_local') : check('warning', 'mail_files')
}

const botCheck = ({ telegram: { token } }: Pick<Settings, 'telegram'>): ShopCheck =>
  shopCheckOf('bot')('ok', token === null ? 'bot_none' : 'bot_set')

/** The names of pools, in each language. */
const namesOf = (of: readonly Pool[]) => ({
  ru: of.map((pool) => poolNames.ru[pool]).join(', '),
  en: of.map((pool) => poolNames.en[pool]).join(', '),
})

export async function priceCheck(db: Kysely<DB>): Promise<ShopCheck> {
  const check = shopCheckOf('prices')
  const prices = await basePrices(db)
  const names = namesOf([...prices.keys()])
  return prices.size === 0
    ? check('trouble', 'prices_none')
    : prices.size === pools.length
      ? check('ok', 'prices_good', { pools: names })
      : check('ok', 'prices_some', { pools: names, unsold: namesOf(unsoldOf(prices)) })
}

const unsoldOf = (prices: ReadonlyMap<Pool, bigint>) => pools.filter((pool) => !prices.has(pool))

/**
 * Pools with an exit but without a price, in which no customer holds traffic: the price may have been
 * forgotten.
 */
export async function unsoldChecks(db: Kysely<DB>, secrets: Secrets): Promise<ShopCheck[]> {
  const prices = await basePrices(db)
  if (prices.size === 0) return []
  const served = new Set((await listExits(db, secrets)).map(({ pool }) => pool))
  const held = new Set(
    (await heldByPool(db)).filter((one) => one.paidBytes + one.bonusBytes > 0n).map(({ pool }) => pool),
  )
  const idle = unsoldOf(prices).filter((pool) => served.has(pool) && !held.has(pool))
  return idle.map((pool) =>
    shopCheckOf('prices')('warning', 'prices_idle_exits', { unsold: namesOf([pool]) }),
  )
}

/** Whether every pool on sale has an exit that gateways can use, and whether a test of one has succeeded. */
export async function exitChecks(db: Kysely<DB>, secrets: Secrets): Promise<ShopCheck[]> {
  const check = shopCheckOf('exits')
  const usable = (await showExits(db, secrets)).filter(({ enabled, fault }) => enabled && fault === null)
  const onSale = [...(await basePrices(db)).keys()]
  if (usable.length === 0 && onSale.length === 0) return [check('ok', 'exits_absent')]
  const ofPool = Map.groupBy(usable, ({ pool }) => pool)
  // Before the first price is set, all existing exits are considered.
  const looked = onSale.length === 0 ? [...ofPool.keys()] : onSale
  return looked.map((of) => {
    const pool = namesOf([of])
    const [first] = (ofPool.get(of) ?? []).toSorted(
      (one, other) => Number(other.testedAt ?? 0) - Number(one.testedAt ?? 0),
    )
    if (first === undefined) return check('trouble', 'exits_none', { pool })
    const facts = { pool, exit: first.name }
    return first.testedAt === null
      ? check('ok', 'exits_untested', facts)
      : check('ok', 'exits_tested', { ...facts, day: first.testedAt.toISOString().slice(0, 10) })
  })
}

const mostNames = 5

/**
 * Whether the traffic bought from sellers lasts, covers the customers' balances, and is sold above its cost.
 */
export async function stockChecks(db: Kysely<DB>, secrets: Secrets, now: Date): Promise<ShopCheck[]> {
  const check = shopCheckOf('stock')
  const { low, short } = await lowStocks(db, await listExits(db, secrets), now)
  const { sales, lists, codes } = await belowCostNow(db, now)
  const below = [
    ...sales.map(({ pool, gb }) => `${pool} ${gb} GB`),
    ...lists.map(({ name }) => name),
    ...codes,
  ]
  const told = ([code, names]: readonly ['stock_low' | 'stock_short' | 'below_cost', readonly string[]]) =>
    names.length === 0 ? [] : [check('warning', code, { names: names.slice(0, mostNames).join(', ') })]
  const findings = (
    [
      ['stock_low', low],
      ['stock_short', short],
      ['below_cost', below],
    ] as const
  ).flatMap(told)
  return findings.length > 0 ? findings : [check('ok', 'stock_good')]
}

/** Checks the payment methods, and the age of the exchange rates that some of them use. */
export async function paymentChecks(
  db: Kysely<DB>,
  methods: PaymentMethods,
  now: Date,
): Promise<ShopCheck[]> {
  const check = shopCheckOf('payments')
  const connected = methods.list()
  if (connected.length === 0) return [check('trouble', 'payments_none')]
  const all = await methods.listOffered(db)
  const withdrawn = connected.filter((method) => !all.includes(method))
  const titleOf = (name: string) => ({
    ru: methodTitle(name, 'ru', 'desk'),
    en: methodTitle(name, 'en', 'desk'),
  })
  const namesIn = (some: typeof connected) => ({
    ru: some.map(({ name }) => titleOf(name).ru).join(', '),
    en: some.map(({ name }) => titleOf(name).en).join(', '),
  })
  if (all.length === 0) return [check('trouble', 'payments_withdrawn', { methods: namesIn(withdrawn) })]
  const rates = new Map((await listRates(db)).map((rate) => [rate.currency, rate]))
  const limits = await readRateLimits(db)
  const foreign = all.filter(({ currency }) => currency !== 'USD')
  const findings = foreign.flatMap(({ name, currency }) => {
    const rate = rates.get(currency)
    if (rate === undefined) return [check('trouble', 'payments_no_rate', { method: titleOf(name), currency })]
    const state = rateState(rate, limits, now)
    if (state === 'fresh') return []
    const facts = { method: titleOf(name), currency, days: wholeDays(rate.setAt, now) }
    return [
      state === 'closed'
        ? check('trouble', 'payments_closed_rate', facts)
        : check('warning', 'payments_old_rate', facts),
    ]
  })
  if (findings.length > 0) return findings
  return withdrawn.length === 0
    ? [check('ok', 'payments_good', { methods: namesIn(all) })]
    : [check('ok', 'payments_some', { methods: namesIn(all), withdrawn: namesIn(withdrawn) })]
}

/** Whether receipts are registered where they may be due. */
export function receiptChecks({
  payments: { yookassa },
  receipts,
}: Pick<Settings, 'payments' | 'receipts'>): ShopCheck[] {
  const check = shopCheckOf('receipts')
  if (receipts === null) return yookassa === null ? [] : [check('warning', 'receipts_off')]
  const isTest = receipts.registrar !== 'manual' && yookassa?.secretKey.startsWith('test_') === true
  if (isTest) return [check('warning', 'receipts_test')]
  return [check('ok', 'receipts_good', { registrar: receipts.registrar })]
}

/**
 * Outside of a demo, the demo's inventory is a fault: customers see it, and lines are validated against it.
 */
export async function inventoryCheck(db: Kysely<DB>, { demo }: Pick<Settings, 'demo'>): Promise<ShopCheck> {
  const check = shopCheckOf('inventory')
  const isMadeUp = await isDemoInventory(db)
  if (!isMadeUp) return check('ok', 'inventory_good')
  return demo ? check('ok', 'inventory_demo') : check('trouble', 'inventory_made_up')
}

/** Whether documents can be made. */
export async function sellerCheck(
  db: Kysely<DB>,
  { demo }: Pick<Settings, 'demo'>,
  now: Date,
): Promise<ShopCheck> {
  const check = shopCheckOf('seller')
  if (await isSellerSet(db)) return check('ok', 'seller_good')
  if (demo) return check('ok', 'seller_demo')
  return check('warning', 'seller_none', { count: String(await countDue(db, now)) })
}

/** Pages that the reviewers of processors ask for. */
const reviewed: readonly LegalPage[] = ['terms', 'privacy', 'refund', 'requisites', 'abuse']

/** Whether customers find support. */
export async function contactsCheck(db: Kysely<DB>, { demo }: Pick<Settings, 'demo'>): Promise<ShopCheck> {
  const hasSupport = demo || legalGaps(await readContent(db)).hasSupport
  return shopCheckOf('contacts')(
    hasSupport ? 'ok' : 'warning',
    hasSupport ? 'contacts_good' : 'contacts_support',
  )
}

/**
 * What the legal pages lack for a processor's reviewer. The seller's name and receipts have checks of their
 * own.
 */
export async function legalChecks(db: Kysely<DB>, { demo }: Pick<Settings, 'demo'>): Promise<ShopCheck[]> {
  const check = shopCheckOf('legal')
  if (demo) return [check('ok', 'legal_demo')]
  const { drafts, untranslated, without, hasAbuseContact } = legalGaps(await readContent(db))
  const named = (pages: readonly LegalPage[]) => ({
    pages: {
      ru: pages.map((page) => draftTitle(page, 'ru')).join(', '),
      en: pages.map((page) => draftTitle(page, 'en')).join(', '),
    },
  })
  const missing = without.filter((page) => reviewed.includes(page))
  const findings = [
    ...(drafts.length > 0 ? [check('warning', 'legal_draft', named(drafts))] : []),
    ...(untranslated.length > 0 ? [check('warning', 'legal_language', named(untranslated))] : []),
    ...(missing.length > 0 ? [check('warning', 'legal_without', named(missing))] : []),
    ...(hasAbuseContact ? [] : [check('warning', 'legal_abuse')]),
  ]
  return findings.length > 0 ? findings : [check('ok', 'legal_good')]
}

/** Whether the operator or a member of staff would be notified of what needs attention. */
export async function alertsCheck(
  db: Kysely<DB>,
  { demo, mail, publicUrl, telegram }: Pick<Settings, 'demo' | 'mail' | 'publicUrl' | 'telegram'>,
): Promise<ShopCheck> {
  const check = shopCheckOf('alerts')
  if (demo) return check('ok', 'alerts_demo')
  const ways = {
    hasBot: telegram.token !== null,
    // Letters that are only written to files reach nobody; in a demo that is intended.
    hasMail: mail.smtp !== null || isLocalHost(publicUrl.hostname),
  }
  return (await isAnybodyTold(db, ways)) ? check('ok', 'alerts_good') : check('warning', 'alerts_nobody')
}

const backupDays = 7

/** The age of the last backup of the embedded database; another PostgreSQL is backed up by its own tools. */
export async function backupCheck(db: Kysely<DB>, now: Date): Promise<ShopCheck> {
  const check = shopCheckOf('backup')
  const last = await lastBackup(db)
  if (last === null) return check('warning', 'backup_none')
  const days = wholeDays(last, now)
  const day = last.toISOString().slice(0, 10)
  return days < backupDays
    ? check('ok', 'backup_good', { day })
    : check('warning', 'backup_old', { day, days })
}

/** Restores are tried once a week: two missed tries cause no warning. */
const restoreDays = 15

/** Whether a backup was restored lately, and its books were in order; nothing before the first backup. */
export async function restoreChecks(db: Kysely<DB>, now: Date): Promise<ShopCheck[]> {
  const check = shopCheckOf('restore')
  if ((await lastBackup(db)) === null) return []
  const last = await lastRestoreTry(db)
  if (last === null) return [check('warning', 'restore_none')]
  const day = last.at.toISOString().slice(0, 10)
  if (last.findings > 0) return [check('trouble', 'restore_bad', { day, count: String(last.findings) })]
  const days = wholeDays(last.at, now)
  return [
    days < restoreDays
      ? check('ok', 'restore_good', { day })
      : check('warning', 'restore_old', { day, days }),
  ]
}
