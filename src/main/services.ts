/** The services of every process: settings, log, database, secrets, and the calls of the slices. */
import { mkdirSync } from 'node:fs'
import { Logger } from 'graphile-worker'
import type { TellDeps } from '#staff-alerts'
import { type EndPrograms, tellOfChange } from '#accounts'
import { accountsCalls } from '#accounts/calls'
import { callerOf } from '#db/call'
import { emailCalls } from '#accounts/email/calls'
import { catalogCalls } from '#catalog/calls'
import { brandOnPages, readContent } from '#content'
import { contentCalls } from '#content/calls'
import { isDemoInventory } from '#inventory'
import { inventoryCalls } from '#inventory/calls'
import { limitsCalls } from '#limits/calls'
import { billCalls } from '#ledger/calls'
import { noticesCalls } from '#customer-notices/calls'
import { promoCalls } from '#promo/calls'
import { proxiesCalls, type ProxiesDeps } from '#proxies/calls'
import { type OwnerDeps, presetsCalls } from '#proxies/presets/calls'
import { revokeLinks } from '#proxies/presets'
import { Admission } from '#http/admission'
import { findLink } from '#proxies/presets/links'
import { trialCalls } from '#proxies/trial'
import type { NeedDeps } from '#desk'
import type { DocumentDeps } from '#documents'
import { documentCalls } from '#documents/calls'
import { purchaseCalls } from '#purchase/calls'
import { movesCalls } from '#purchase/moves/calls'
import { receiptsCalls } from '#receipts/calls'
import type { PayoutRules } from '#referral'
import { referralCalls } from '#referral/calls'
import { requestsCalls } from '#requests/calls'
import { authenticateReseller, isResellerToken, revokeResellerToken } from '#reseller'
import { resellerCalls } from '#reseller/calls'
import { topUpCalls } from '#topup/calls'
import { statsCalls } from '#stats/calls'
import { statusCalls } from '#status/calls'
import { payoutSetting } from '#contract/desk/shop-settings'
import { payoutNetworks } from '#contract/referral/payout'
import { echoPath } from '#contract/wire'
import { authenticate, useToken } from '#accounts'
import { telegramCalls } from '#accounts/telegram/code'
import { type Database, clustersIn, migrate, openDatabase, pendingMigrations, refuseMoved } from '#db'
import type { Handlers } from '#db/call'
import { migrateJobs } from '#db/jobs'
import { deriveKey, loadSecretKey, type Secrets } from '#lib/secret'
import { exportName, exportPerson } from '#personal-data'
import { personCalls } from '#personal-data/calls'
import { PaymentMethods, rateNote } from '#payments'
import { processors, sandboxMethod } from '#payments/adapters'
import { hasPurchased, type PurchaseDeps } from '#purchase'
import { shownRates, usableRates } from '#rates'
import { ratesCalls } from '#rates/calls'
import { securityCalls } from '#account-security/calls'
import { readShopSettings } from '#settings'
import { agreeToSave, type TopUpDeps } from '#topup'
import { hasTraffic, recallLeases, usedInWindows, usersTraffic } from '#traffic'
import { passwordOf, userOf } from '#proxy-users'
import { usersCalls } from '#proxy-users/calls'
import { isGlobalUnicast, isGlobalUnicastOrLoopback } from '#whitelist'
import { whitelistCalls } from '#whitelist/calls'
import { Counts } from './health/counts.ts'
import { noteShop, refuseLostShop } from './lost.shop.ts'
import { entriesOf, shownPoolsOf } from './site.ts'
import { checkKey } from './keys/keys.ts'
import { type Log, makeLog } from './process/log.ts'
import type { Settings } from './settings/settings.ts'

export interface Services {
  settings: Settings
  log: Log
  database: Database
  secrets: Secrets
  methods: PaymentMethods
  /** Signs the sandbox's webhooks. */
  sandboxSecret: Buffer
  /** Counted in this process, for its metrics. */
  counts: Counts
  /** The admission of calls that this process answers, over HTTP and from the bot. */
  admission: Admission
}

/** Receives a sentence about a step of the start that takes long. */
type Say = (sentence: string) => void

/**
 * Opens the services of a process. `owner` starts the embedded server and refuses when another process owns
 * it.
 */
export async function openServices(
  settings: Settings,
  role: 'owner' | 'guest',
  say?: Say,
): Promise<Services> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  if (settings.databaseUrl === null) {
    refuseLostShop(settings.dataDir)
    if (say !== undefined && !clustersIn(settings.dataDir).hasOurs)
      say(`Making a database in ${settings.dataDir}: a minute at most.`)
  }
  const log = makeLog(settings.logLevel)
  const database = await openDatabase({
    databaseUrl: settings.databaseUrl ?? undefined,
    replicaUrl: settings.replicaUrl ?? undefined,
    dataDir: settings.dataDir,
    role,
    report: (sentence) => log.warn(sentence),
  })
  if (settings.databaseUrl === null) noteShop(settings.dataDir)
  const secrets = loadSecretKey(settings)
  const sandboxSecret = deriveKey(secrets, 'sandbox webhook')
  const { publicUrl } = settings
  const methods = new PaymentMethods([
    ...(settings.demo ? [sandboxMethod({ publicUrl, secret: sandboxSecret })] : []),
    ...processors(settings.payments, { publicUrl, secrets }),
  ])
  const admission = new Admission({ now: () => database.clock.now() })
  return { settings, log, database, secrets, methods, sandboxSecret, counts: new Counts(), admission }
}

/** Opens the services on a migrated database. Throws `KeyFault` when the key is not the database's. */
export async function openMigrated(
  settings: Settings,
  role: 'owner' | 'guest',
  say?: Say,
): Promise<Services> {
  const services = await openUnchecked(settings, role, say)
  return orClose(services, async () => {
    const state = await checkKey(services.database, services.secrets, settings)
    if (state === 'unproven')
      services.log.warn(
        'not everything that is sealed in the database opens with this key: see turnpike doctor',
      )
    return services
  })
}

/** The same without a check of the key: for commands that check or replace it. */
export async function openUnchecked(
  settings: Settings,
  role: 'owner' | 'guest',
  say?: Say,
): Promise<Services> {
  const services = await openServices(settings, role, say)
  return orClose(services, async () => {
    await refuseMoved(services.database.pool)
    if (say !== undefined) {
      const { pending } = await pendingMigrations(services.database)
      if (pending.length > 0) say(`Applying ${pending.length} migrations of the database.`)
    }
    await migrate(services.database)
    await migrateJobs(services.database.url, jobLogger(services.log))
    return services
  })
}

/** Closes the database when `work` fails; otherwise its connections would keep the failed command alive. */
async function orClose<T>({ database }: Services, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The dependencies of `purchase`; faults of processors are logged. */
export const purchaseDeps = ({
  methods,
  secrets,
  log,
  counts,
  settings,
  database,
}: Services): PurchaseDeps => ({
  methods,
  secrets,
  takesBack: async () => (await readShopSettings(database.db, settings.pinned)).returns_take_traffic === 1n,
  receipts: settings.receipts,
  noteSale: counts.noteSale,
  noteFault: (method, fault) => log.warn({ method, reason: fault.message }, 'a payment processor failed'),
})

/** The dependencies of `topup`. */
export const topUpDeps = (services: Services): TopUpDeps => ({
  ...purchaseDeps(services),
  automatic: services.settings.automatic,
})

/** The dependencies of alerts: where the desk is, and whether there is a bot. */
export const tellDeps = ({ settings }: Pick<Services, 'settings'>): TellDeps => ({
  deskUrl: settings.desk.url,
  hasBot: settings.telegram.token !== null,
})

/** The dependencies of what needs staff. */
export const needDeps = ({
  secrets,
  settings,
  methods,
}: Pick<Services, 'secrets' | 'settings' | 'methods'>): NeedDeps => ({
  secrets,
  pinned: settings.pinned,
  hasOwnDatabase: settings.databaseUrl === null,
  charged: new Set(methods.list().map(({ currency }) => currency)),
})

/** The dependencies of `documents`. */
export const documentDeps = ({ settings }: Services): DocumentDeps => ({
  zone: settings.desk.zone,
  isDemo: settings.demo,
})

/** The dependencies of `proxies`. */
const proxiesDeps = ({ secrets, settings: { gateway } }: Services): ProxiesDeps => ({
  secrets,
  hasTraffic,
  proxyUserOf: async (db, { accessId, number }) => {
    const user = await userOf(db, { accessId, nr: BigInt(number) })
    return { login: user.login, password: passwordOf(secrets, user) }
  },
  portBase: gateway.portBase,
  slots: gateway.slots,
  hosts: gateway.hosts,
  defaultHost: gateway.host,
})

/** Finds the secret link of a token. */
export const openLink = (services: Services) => (token: string, now: Date) =>
  findLink(proxiesDeps(services), services.database.db, { token, now })

/** Revokes everything that can act for a customer without a session. */
const endPrograms: EndPrograms = async (tx, accountId) => {
  await revokeResellerToken(tx, accountId)
  await revokeLinks(tx, accountId)
}

/** Notifies the owner of a new secret link. */
const linkOwner: OwnerDeps = {
  tellOfLink: (tx, context) => {
    const change = { event: 'preset_link_made', ip: context.ip, isHeld: false } as const
    return tellOfChange(tx, callerOf(context).id, change, context.now())
  },
}

/** The current rules for gifts between customers and for exchanges. */
const moveRulesOf =
  ({ pinned }: Pick<Settings, 'pinned'>) =>
  async (db: Database['db']) => {
    const shop = await readShopSettings(db, pinned)
    return {
      gifts: { isOn: shop.gifts === 1n, gbPerDay: shop.gift_gb_per_day },
      exchanges: { isOn: shop.exchanges === 1n, gbPerDay: shop.exchange_gb_per_day },
    }
  }

/** The current limits of payouts. */
const payoutRulesOf =
  ({ pinned }: Pick<Settings, 'pinned'>) =>
  async (db: Database['db']): Promise<PayoutRules> => {
    const shop = await readShopSettings(db, pinned)
    return {
      isOn: shop.payouts === 1n,
      leastMicros: shop.payout_least_micros,
      networks: payoutNetworks.filter((network) => shop[payoutSetting(network)] === 1n),
    }
  }

/** The shop as authenticator apps and passkeys name it. */
const partyOf =
  ({ database, settings }: Pick<Services, 'database' | 'settings'>) =>
  async () => ({ name: (await readContent(database.db)).brand.name, url: settings.publicUrl })

/** The handlers of all calls, by name. */
export function handlersOf(services: Services): Handlers {
  const { settings, log, secrets } = services
  return {
    ...catalogCalls,
    ...statsCalls,
    ...statusCalls(),
    ...billCalls,
    ...requestsCalls,
    ...inventoryCalls,
    ...described(
      purchaseCalls({
        ...purchaseDeps(services),
        agreeToSave: (context, wish) => agreeToSave(topUpDeps(services), context, wish),
      }),
      services.methods,
    ),
    ...movesCalls({ secrets, rules: moveRulesOf(settings) }),
    ...topUpCalls(topUpDeps(services)),
    ...ratesCalls,
    ...receiptsCalls({ settings: settings.receipts, methods: () => services.methods.list() }),
    ...documentCalls,
    ...promoCalls({ secrets, hasPurchased }),
    ...referralCalls({
      publicUrl: settings.publicUrl,
      telegramBot: settings.telegram.botName,
      payoutRules: payoutRulesOf(settings),
    }),
    ...contentCalls({
      botName: settings.telegram.botName,
      gateway: entriesOf(settings),
      isDemoInventory,
      shownPools: shownPoolsOf(settings),
      shownRates,
    }),
    ...resellerCalls({ secrets }),
    ...securityCalls({ secrets, party: partyOf(services) }),
    ...emailCalls({ secrets, endPrograms }),
    // The customer of a demo uses this machine: a demo refuses a public PUBLIC_URL.
    ...whitelistCalls({
      hasTraffic,
      isListable: settings.demo ? isGlobalUnicastOrLoopback : isGlobalUnicast,
    }),
    ...limitsCalls({ usedInWindows, recallLeases }),
    ...usersCalls({
      secrets,
      zone: settings.desk.zone,
      mostUsers: async (db) => Number((await readShopSettings(db, settings.pinned)).proxy_users_per_pool),
      ...usersTraffic,
    }),
    ...telegramCalls({ secrets }),
    ...noticesCalls,
    ...personCalls,
    ...accountsCalls({
      secrets,
      brand: async (db) => (await brandOnPages(db)).name,
      endPrograms,
      noteUnknownReferral: (code) =>
        log.warn({ code: code.slice(0, 64) }, 'sign-up with an unknown referral code'),
    }),
    ...proxiesCalls(proxiesDeps(services)),
    ...presetsCalls(proxiesDeps(services), linkOwner),
    ...trialCalls(proxiesDeps(services), { target: new URL(echoPath, settings.publicUrl) }),
  }
}

/**
 * The payment methods with the operator's names and descriptions, where there are any, instead of the
 * program's. The rate of a method that collects another currency is always appended.
 */
function described<Calls extends Pick<Handlers, 'payment_systems'>>(
  calls: Calls,
  methods: PaymentMethods,
): Calls {
  return {
    ...calls,
    payment_systems: async (input, context) => {
      const { language, database, now } = context
      const { payments } = await readContent(database.db)
      const offered = await calls.payment_systems(input, context)
      const rates = await usableRates(database.db, now())
      return offered.map(({ name, description, ...rest }) => {
        const own = payments[name]
        const title = own?.name?.[language] ?? null
        const words = own?.[language] ?? description
        const rate = rates.get(methods.find(name)?.currency ?? 'USD')
        return {
          ...rest,
          name,
          title,
          description: rate === undefined ? words : words + rateNote(rate, language),
        }
      })
    },
  }
}

/** The download of a person's data behind a token, which is used up. */
export const openDownload =
  ({ db }: Database) =>
  async (token: string, now: Date) => {
    const accountId = await useToken(db, 'download_data', token, now)
    if (accountId === null) return null
    return { name: exportName(accountId, now), content: exportPerson(db, accountId, now) }
  }

/** The caller of a bearer token: a session's account, or a reseller's program. */
export const authenticateWith =
  (database: Database) =>
  (token: string, { ip, now }: { ip: string; now: Date }) =>
    isResellerToken(token)
      ? authenticateReseller(database.db, { token, ip }, now)
      : authenticate(database.db, token, now)

/** graphile-worker's messages in our log; what it calls info is routine. */
export function jobLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.error(message)
    else if (level === 'warning') log.warn(message)
    else log.debug(message)
  })
}
