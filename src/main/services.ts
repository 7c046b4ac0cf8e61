/** What every process of Turnpike shares: settings, log, database, secrets, and the calls wired to their slices. */
import { mkdirSync } from 'node:fs'
import { accountsCalls } from '#accounts/calls'
import { catalogCalls } from '#catalog/calls'
import { readContent } from '#content'
import { contentCalls } from '#content/calls'
import { isDemoInventory } from '#inventory'
import { inventoryCalls } from '#inventory/calls'
import { limitsCalls } from '#limits/calls'
import { promoCalls } from '#promo/calls'
import { entryPort, proxiesCalls } from '#proxies/calls'
import { purchaseCalls } from '#purchase/calls'
import { referralCalls } from '#referral/calls'
import { requestsCalls } from '#requests/calls'
import { authenticateReseller, isResellerToken } from '#reseller'
import { resellerCalls } from '#reseller/calls'
import { statsCalls } from '#stats/calls'
import { regions } from '#contract/proxy-lines'
import { type Pool, pools } from '#contract/wire'
import { authenticate } from '#accounts'
import { telegramCalls } from '#accounts/telegram/code'
import { type Database, migrate, openDatabase } from '#db'
import type { Handlers } from '#db/call'
import { migrateJobs } from '#db/jobs'
import { deriveKey, loadSecretKey, type Secrets } from '#lib/secret'
import { listRates, PaymentMethods, rateNote } from '#payments'
import { processors, sandboxMethod } from '#payments/adapters'
import type { PurchaseDeps } from '#purchase'
import { hasTraffic, recallLeases, usedInWindows } from '#traffic'
import { isGlobalUnicast, isGlobalUnicastOrLoopback } from '#whitelist'
import { whitelistCalls } from '#whitelist/calls'
import { Counts } from './health/counts.ts'
import { jobLogger } from './jobs.log.ts'
import { checkKey } from './keys/keys.ts'
import { type Log, makeLog } from './log.ts'
import type { Settings } from './settings.ts'

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
}

/** Opens what a process needs. `owner` starts the embedded server and refuses when another process owns it. */
export async function openServices(settings: Settings, role: 'owner' | 'guest'): Promise<Services> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  const log = makeLog(settings.logLevel)
  const database = await openDatabase({
    databaseUrl: settings.databaseUrl ?? undefined,
    replicaUrl: settings.replicaUrl ?? undefined,
    dataDir: settings.dataDir,
    role,
    report: (sentence) => log.warn(sentence),
  })
  const secrets = loadSecretKey(settings)
  const sandboxSecret = deriveKey(secrets, 'sandbox webhook')
  const { publicUrl } = settings
  const methods = new PaymentMethods([
    ...(settings.demo ? [sandboxMethod({ publicUrl, secret: sandboxSecret })] : []),
    ...processors(settings.payments, { publicUrl }),
  ])
  return { settings, log, database, secrets, methods, sandboxSecret, counts: new Counts() }
}

/** Opens what a process needs, on a database that is up to date. Throws `KeyFault` when the key is not the database's. */
export async function openMigrated(settings: Settings, role: 'owner' | 'guest'): Promise<Services> {
  const services = await openUnchecked(settings, role)
  return orClose(services, async () => {
    const state = await checkKey(services.database, services.secrets, settings)
    if (state === 'unproven')
      services.log.warn(
        'not everything that is sealed in the database opens with this key: see turnpike doctor',
      )
    return services
  })
}

/** The same whatever the key is: for who looks at it or replaces it. */
export async function openUnchecked(settings: Settings, role: 'owner' | 'guest'): Promise<Services> {
  const services = await openServices(settings, role)
  return orClose(services, async () => {
    await migrate(services.database)
    await migrateJobs(services.database.url, jobLogger(services.log))
    return services
  })
}

/** Without it, the connections would keep a command alive that has said what is wrong. */
async function orClose<T>({ database }: Services, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await database.close()
    throw error
  }
}

/** What buying needs of the rest; a processor's faults are for the log. */
export const purchaseDeps = ({ methods, secrets, log, counts }: Services): PurchaseDeps => ({
  methods,
  secrets,
  noteSale: counts.noteSale,
  noteFault: (method, fault) => log.warn({ method, reason: fault.message }, 'a payment processor failed'),
})

/** Every call that is built, by its name. */
export function handlersOf(services: Services): Partial<Handlers> {
  const { settings, log, secrets } = services
  return {
    ...catalogCalls,
    ...statsCalls,
    ...requestsCalls,
    ...inventoryCalls,
    ...described(purchaseCalls(purchaseDeps(services)), services.methods),
    ...promoCalls({ secrets }),
    ...referralCalls({ publicUrl: settings.publicUrl, telegramBot: settings.telegram.botName }),
    ...contentCalls({ botName: settings.telegram.botName, gateway: entriesOf(settings), isDemoInventory }),
    ...resellerCalls({ secrets }),
    ...whitelistCalls({
      hasTraffic,
      // The customer of a demo is at this machine. A demo refuses a public PUBLIC_URL.
      isListable: settings.demo ? isGlobalUnicastOrLoopback : isGlobalUnicast,
    }),
    ...limitsCalls({ usedInWindows, recallLeases }),
    ...telegramCalls({ secrets }),
    ...accountsCalls({
      secrets,
      noteUnknownReferral: (code) =>
        log.warn({ code: code.slice(0, 64) }, 'sign-up with an unknown referral code'),
    }),
    ...proxiesCalls({
      secrets,
      hasTraffic,
      portBase: settings.gateway.portBase,
      slots: settings.gateway.slots,
      hosts: settings.gateway.hosts,
      defaultHost: settings.gateway.host,
    }),
  }
}

/** Where lines lead that name no region, and the regions that lead elsewhere. */
function entriesOf({ gateway: { host, hosts, portBase } }: Settings) {
  const ports = pools.map((pool) => [pool, entryPort(portBase, pool)] as const)
  return {
    host,
    ports: Object.fromEntries(ports) as Record<Pool, number>,
    regions: regions.filter((region) => hosts.has(region)),
  }
}

/**
 * The operator's words on a payment method, where there are any, stand in for the adapter's own; the rate of one that
 * collects another currency is said in any case.
 */
function described<Calls extends Pick<Handlers, 'payment_systems'>>(
  calls: Calls,
  methods: PaymentMethods,
): Calls {
  return {
    ...calls,
    payment_systems: async (input, context) => {
      const { language, database } = context
      const { payments } = await readContent(database.db)
      const offered = await calls.payment_systems(input, context)
      const rates = await listRates(database.db)
      return offered.map(({ name, description }) => {
        const words = payments[name]?.[language] ?? description
        const rate = rates.find(({ currency }) => currency === methods.find(name)?.currency)
        return { name, description: rate === undefined ? words : words + rateNote(rate, language) }
      })
    },
  }
}

/** Who a bearer token belongs to: a person's session, or the program of a reseller. */
export const authenticateWith = (database: Database) => (token: string, now: Date) =>
  isResellerToken(token) ? authenticateReseller(database.db, token) : authenticate(database.db, token, now)
