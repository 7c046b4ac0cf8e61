/** What every process of Turnpike shares: settings, log, database, secrets, and the calls wired to their slices. */
import { mkdirSync } from 'node:fs'
import { accountsCalls } from '#accounts/calls'
import { catalogCalls } from '#catalog/calls'
import { readContent } from '#content'
import { contentCalls } from '#content/calls'
import { inventoryCalls } from '#inventory/calls'
import { promoCalls } from '#promo/calls'
import { proxiesCalls } from '#proxies/calls'
import { purchaseCalls } from '#purchase/calls'
import { referralCalls } from '#referral/calls'
import { authenticateReseller, isResellerToken } from '#reseller'
import { resellerCalls } from '#reseller/calls'
import { statsCalls } from '#stats/calls'
import { authenticate } from '#accounts'
import { telegramCalls } from '#accounts/telegram/code'
import { type Database, migrate, openDatabase } from '#db'
import type { Handlers } from '#db/call'
import { migrateJobs } from '#db/jobs'
import { deriveKey, loadSecretKey, type Secrets } from '#lib/secret'
import { PaymentMethods, processors, sandboxMethod } from '#payments'
import type { PurchaseDeps } from '#purchase'
import { hasTraffic } from '#traffic'
import { whitelistCalls } from '#whitelist/calls'
import { jobLogger } from './jobs.log.ts'
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
}

/** Opens what a process needs. `owner` starts the embedded server and refuses when another process owns it. */
export async function openServices(settings: Settings, role: 'owner' | 'guest'): Promise<Services> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  const log = makeLog(settings.logLevel)
  const database = await openDatabase({
    ...(settings.databaseUrl === null ? {} : { databaseUrl: settings.databaseUrl }),
    dataDir: settings.dataDir,
    role,
  })
  const secrets = loadSecretKey(settings)
  const sandboxSecret = deriveKey(secrets, 'sandbox webhook')
  const { publicUrl } = settings
  const methods = new PaymentMethods([
    ...(settings.demo ? [sandboxMethod({ publicUrl, secret: sandboxSecret })] : []),
    ...processors(settings.payments, { publicUrl }),
  ])
  return { settings, log, database, secrets, methods, sandboxSecret }
}

export async function openMigrated(settings: Settings, role: 'owner' | 'guest'): Promise<Services> {
  const services = await openServices(settings, role)
  await migrate(services.database)
  await migrateJobs(services.database.url, jobLogger(services.log))
  return services
}

/** What buying needs of the rest; a processor's faults are for the log. */
export const purchaseDeps = ({ methods, secrets, log }: Services): PurchaseDeps => ({
  methods,
  secrets,
  noteFault: (method, fault) => log.warn({ method, reason: fault.message }, 'a payment processor failed'),
})

/** Every call that is built, by its name. */
export function handlersOf(services: Services): Partial<Handlers> {
  const { settings, log, secrets } = services
  return {
    ...catalogCalls,
    ...statsCalls,
    ...inventoryCalls,
    ...described(purchaseCalls(purchaseDeps(services))),
    ...promoCalls({ secrets }),
    ...referralCalls({ publicUrl: settings.publicUrl, telegramBot: settings.telegram.botName }),
    ...contentCalls({ botName: settings.telegram.botName }),
    ...resellerCalls({ secrets }),
    ...whitelistCalls({ hasTraffic }),
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

/** The operator's words on a payment method, where there are any, stand in for the adapter's own. */
function described<Calls extends Pick<Handlers, 'payment_systems'>>(calls: Calls): Calls {
  return {
    ...calls,
    payment_systems: async (input, context) => {
      const { payments } = await readContent(context.database.db)
      const methods = await calls.payment_systems(input, context)
      return methods.map(({ name, description }) => ({
        name,
        description: payments[name]?.[context.language] ?? description,
      }))
    },
  }
}

/** Who a bearer token belongs to: a person's session, or the program of a reseller. */
export const authenticateWith = (database: Database) => (token: string, now: Date) =>
  isResellerToken(token) ? authenticateReseller(database.db, token) : authenticate(database.db, token, now)
