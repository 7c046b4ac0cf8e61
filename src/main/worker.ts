/** Background jobs: graphile-worker on the same database, so that a job and what it is for commit together. */
import path from 'node:path'
import type { TaskList } from 'graphile-worker'
import type { Registry } from 'prom-client'
import {
  accountJobs,
  forgetExpiredSessions,
  forgetExpiredTokens,
  forgetOldAttempts,
  unblockDue,
} from '#accounts'
import { forgetEndedSessions } from '#staff'
import { forgetTelegramCodes } from '#accounts/telegram/code'
import { botJobs, forgetOldUpdates } from '#bot'
import { readContent } from '#content'
import { isDatabaseAway } from '#db'
import { queueDue, type Recurring, releaseJobs } from '#db/jobs'
import { runJobs } from '#db/jobs/run'
import { forgetOldMail } from '#mail'
import { forgetForgedWebhooks } from '#payments'
import { expireInvoices, reconcileInvoices, sendRefunds } from '#purchase'
import { forgetOldRequests } from '#requests'
import { expireLeases, giveUpSetBacks, pruneLeases } from '#traffic'
import { expireClaims } from '#whitelist'
import { keepBooks } from './books.ts'
import { jobsMetric } from './health/database.ts'
import { steadiness } from './health/steady.ts'
import { workMetrics } from './health/work.ts'
import { jobLogger } from './jobs.log.ts'
import { type Shift, workWhileRight } from './jobs.shift.ts'
import { purchaseDeps, type Services } from './services.ts'
import type { Settings } from './settings.ts'
import type { Stopper } from './stop.ts'

/** Each is done once per period, however many workers there are. */
const recurring: readonly Recurring[] = [
  { task: 'expire_invoices', everyMinutes: 1 },
  { task: 'end_blocks', everyMinutes: 1 },
  { task: 'expire_leases', everyMinutes: 1 },
  { task: 'expire_whitelist_claims', everyMinutes: 1 },
  { task: 'release_jobs', everyMinutes: 1 },
  // In a queue of its own, so that a slow run is followed by the next one, never met by it.
  { task: 'reconcile_payments', everyMinutes: 1, queue: 'payments', maxAttempts: 1 },
  { task: 'forget_old', everyMinutes: 60, atMinute: 17 },
  // In a queue of its own: a month of a hundred million entries takes minutes to verify.
  { task: 'keep_books', everyMinutes: 60, atMinute: 7, queue: 'books', maxAttempts: 1 },
]
const queueEveryMs = 5_000

/** No job of ours takes as long as this: its worker was killed. */
const deadAfterMinutes = 10

/** Where it is told whether jobs run. */
interface Watched {
  /** Null: nobody asks for metrics. */
  registry: Registry | null
}

export async function startWorker(
  services: Services,
  stopper: Stopper,
  { registry }: Watched,
): Promise<void> {
  const { database, log } = services
  const work = await workWhileRight(() => beginShift(services), { clock: database.clock, log, stopper })
  jobsMetric(work, registry)
  workMetrics(database, registry)
}

async function beginShift(services: Services): Promise<Shift> {
  const { database, log, settings } = services
  const { db } = database
  // On the embedded database this is the only worker: what is held was held by one that was killed.
  if (settings.databaseUrl === null) await releaseJobs(db, { heldMinutes: 0 })
  await queueDue(db, recurring)
  const jobs = await runJobs(database, {
    // A mail server that hangs must not keep leases from expiring.
    concurrency: 4,
    logger: jobLogger(log),
    report: (sentence, error) =>
      error === undefined ? log.info(sentence) : log.error({ err: error }, sentence),
    tasks: await tasksOf(services),
  })
  const timer = setInterval(() => {
    queueDue(db, recurring).catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error
      log.warn({ err: error }, 'scheduled work cannot be queued')
    })
  }, queueEveryMs)
  return {
    get isRunning() {
      return jobs.isRunning
    },
    stop: async () => {
      clearInterval(timer)
      await jobs.stop()
    },
  }
}

async function tasksOf(services: Services): Promise<TaskList> {
  const { database, log, secrets, settings } = services
  const { db, clock } = database
  const isSteady = steadiness(await database.watch())
  /** The machine may have been paused since the clock was read. */
  const now = async () => {
    await clock.refresh()
    return clock.now()
  }
  // Only here, so that no other process carries React and an SMTP client.
  const { mailJobs, mailTransport } = await import('#mail/jobs')
  return {
    expire_invoices: async () => {
      const count = await expireInvoices(db, await now())
      if (count > 0) log.info({ count }, 'invoices expired')
    },
    reconcile_payments: async () => {
      const deps = purchaseDeps(services)
      const { asked, credited } = await reconcileInvoices(database, deps, await now())
      const sent = await sendRefunds(database, deps, await now())
      if (credited > 0 || sent > 0) log.info({ asked, credited, sent }, 'payments reconciled')
    },
    end_blocks: async () => {
      const count = await unblockDue(db, await now())
      if (count > 0) log.info({ count }, 'blocks of customers ended')
    },
    expire_leases: async () => {
      if (isSteady()) await expireLeases(db)
      await giveUpSetBacks(db)
    },
    expire_whitelist_claims: async () => {
      const count = await expireClaims(db)
      if (count > 0) log.info({ count }, 'addresses on whitelists expired: they were not proven')
    },
    forget_old: async () => {
      const at = await now()
      await forgetExpiredSessions(db, at)
      await forgetEndedSessions(db, at)
      await forgetExpiredTokens(db, at)
      await forgetOldAttempts(db, at)
      await forgetOldMail(db, at)
      await forgetTelegramCodes(db, at)
      await forgetOldUpdates(db, at)
      await forgetForgedWebhooks(db, at)
      await forgetOldRequests(db, at)
      await pruneLeases(db)
    },
    keep_books: async () => {
      const { made, dropped, closed } = await keepBooks(db, settings.usageKept)
      if (made > 0 || dropped.length > 0 || closed.length > 0)
        log.info({ made, dropped, closed }, 'the books were kept')
    },
    release_jobs: () => releaseJobs(db, { heldMinutes: deadAfterMinutes }),
    ...accountJobs({ db, secrets }),
    ...botJobs(services, telegramOf(settings)),
    ...mailJobs({
      db,
      secrets,
      transport: mailTransport({
        smtp: settings.mail.smtp,
        outboxDir: path.join(settings.dataDir, 'outbox'),
      }),
      from: settings.mail.from,
      publicUrl: settings.publicUrl,
      brand: async () => (await readContent(db)).brand.name,
      noteFailure: (id, reason) => log.warn({ mail: id, reason }, 'a letter was given up'),
      now: () => clock.now(),
    }),
  }
}

/** How the worker speaks to Telegram; null when there is no bot. */
function telegramOf({ telegram: { token, apiRoot } }: Settings): { token: string; apiRoot: string } | null {
  return token === null ? null : { token, apiRoot }
}
