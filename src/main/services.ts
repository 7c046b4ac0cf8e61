/** The services of every process: settings, log, database, secrets, and the dependencies of the slices. */
import { mkdirSync } from 'node:fs'
import { Logger } from 'graphile-worker'
import type { TellDeps } from '#staff-alerts'
import { Admission } from '#http/admission'
import type { NeedDeps } from '#desk'
import type { DocumentDeps } from '#documents'
import { authenticateReseller, isResellerToken } from '#reseller'
import { authenticate, useToken } from '#accounts'
import { type Database, clustersIn, migrate, openDatabase, pendingMigrations, refuseMoved } from '#db'
import { migrateJobs } from '#db/jobs'
import { loadSecretKey, type Secrets } from '#lib/secret'
import { exportName, exportPerson } from '#personal-data'
import { PaymentMethods } from '#payments'
import { type PurchaseDeps } from '#purchase'
import { readShopSettings } from '#settings'
import { type TopUpDeps } from '#topup'
import { Counts } from './health/counts.ts'
import { noteShop, refuseLostShop } from './lost.shop.ts'
import { checkKey } from './keys/keys.ts'
import { type Log, makeLog } from './process/log.ts'
import { methodsOf } from './methods.ts'
import { Renewals, renewSettings } from './renewal.ts'
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
  /** The objects that are built anew when staff change the settings. */
  renewals: Renewals
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
  const sandboxSecret = secrets.derive('sandbox webhook').export()
  const methods = new PaymentMethods(methodsOf({ settings, secrets, sandboxSecret }))
  const admission = new Admission({ now: () => database.clock.now() })
  const counts = new Counts()
  return {
    settings: { ...settings },
    log,
    database,
    secrets,
    methods,
    sandboxSecret,
    counts,
    admission,
    renewals: new Renewals(),
  }
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
    await renewSettings(services)
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
  collecting: methods.list(),
})

/** The dependencies of `documents`. */
export const documentDeps = ({ settings }: Services): DocumentDeps => ({
  zone: settings.desk.zone,
  isDemo: settings.demo,
})

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
  return new Logger(() => (level, message, meta) => {
    // Most jobs wait for other companies, not for a connection: fewer connections than jobs are intended.
    if (meta?.['max'] !== undefined) return
    if (level === 'error') log.error(message)
    else if (level === 'warning') log.warn(message)
    else log.debug(message)
  })
}
