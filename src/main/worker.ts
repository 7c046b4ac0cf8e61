/**
 * Background jobs: graphile-worker on the same database, so that a job commits together with the data that it
 * is for.
 */
import path from 'node:path'
import type { TaskList } from 'graphile-worker'
import type { Registry } from 'prom-client'
import {
  accountJobs,
  forgetExpiredSessions,
  forgetExpiredTokens,
  forgetOldAttempts,
  forgetOldSignIns,
  noteHeld,
  unblockDue,
} from '#accounts'
import { followAlerts, forgetAlerts } from '#staff-alerts'
import { dayFigures, findNeeds } from '#desk'
import { forgetEndedSessions, forgetEndedViews, systemAuthor } from '#staff'
import { completeEmailChanges, emailJobs, forgetEmailChanges } from '#accounts/email'
import { forgetTelegramCodes } from '#accounts/telegram/code'
import { botJobs, forgetOldUpdates } from '#bot'
import { brandOfLetters } from '#content'
import { isDatabaseAway } from '#db'
import { forgetAnswers, watchExits, watchPlaces } from '#exits'
import { forgetAnswers as forgetCallAnswers, forgetOldKeys } from '#http/answers'
import { forgetChallenges } from '#second-factors'
import { mostWaiting, queueDue, type Recurring, releaseJobs } from '#db/jobs'
import { runJobs } from '#db/jobs/run'
import { addUpPostings, closeBills, makeBillRoot } from '#ledger'
import { forgetOldMail } from '#mail'
import { countMargin, noteCustomerMargins } from '#margin'
import { sellerDeps } from '#desk'
import { readDueSellers, type SellerTrouble } from '#sellers'
import { firstLookMs, sendBillNotices, sendNotices, sendTroubleNotices } from '#customer-notices'
import { forgetForgedWebhooks } from '#payments'
import { finishErasure, finishErasureTask } from '#personal-data'
import { documentForLetter, makeDocumentJob, queueDueDocuments } from '#documents'
import {
  askForFees,
  askForRefunds,
  expireInvoices,
  makeDocumentTask,
  reconcileInvoices,
  sendRefunds,
  watchReturns,
  paidPerGb,
} from '#purchase'
import { forgetEnded } from '#proxies'
import { forgetExpiredInvitations, forgetOldActs } from '#teams'
import { registerReceipts } from '#receipts'
import { addUpConnections, eraseWithheld, forgetOldRequests, forgetOutcomes } from '#requests'
import { readShopSettings } from '#settings'
import { addUpStatus } from '#status'
import { forgetMethod, forgetMethodTask, runTopUps } from '#topup'
import {
  addUpActivity,
  expireLeases,
  forgetGateways,
  giveUpSetBacks,
  forgetDeletedUsers,
  pruneLeases,
  returnReserves,
  requestsByHour,
} from '#traffic'
import { expireClaims } from '#whitelist'
import { keepBooks } from './books.ts'
import { jobsMetric } from './health/database.ts'
import { gatewaysMetrics } from './health/gateways.ts'
import { steadiness } from './health/steady.ts'
import { workMetrics } from './health/work.ts'
import { type Shift, workWhileRight } from './jobs.shift.ts'
import { renewedLater } from './renewal.ts'
import {
  documentDeps,
  jobLogger,
  needDeps,
  purchaseDeps,
  type Services,
  tellDeps,
  topUpDeps,
} from './services.ts'
import type { Settings } from './settings/settings.ts'
import type { Stopper } from './process/stop.ts'

/** Each task is queued once per period, for any number of workers. */
const recurring: readonly Recurring[] = [
  { task: 'expire_invoices', everyMinutes: 1 },
  { task: 'end_blocks', everyMinutes: 1 },
  { task: 'expire_leases', everyMinutes: 1 },
  { task: 'expire_whitelist_claims', everyMinutes: 1 },
  { task: 'release_jobs', everyMinutes: 1 },
  { task: 'note_balances', everyMinutes: 5 },
  // In a queue of its own, so that two runs never overlap.
  { task: 'note_margins', everyMinutes: 60, queue: 'note_margins', maxAttempts: 1 },
  { task: 'add_up_postings', everyMinutes: 1, queue: 'postings' },
  // In a queue of its own, so that two runs never overlap.
  { task: 'send_notices', everyMinutes: 1, queue: 'notices', maxAttempts: 1 },
  // In a queue of its own, so that two runs never overlap.
  { task: 'follow_alerts', everyMinutes: 1, queue: 'follow_alerts', maxAttempts: 1 },
  // In a queue of its own, so that two runs never overlap.
  { task: 'reconcile_payments', everyMinutes: 1, queue: 'payments', asksOthers: true, maxAttempts: 1 },
  // In a queue of its own, so that receipts never delay payments, and two runs never overlap.
  { task: 'register_receipts', everyMinutes: 1, queue: 'receipts', asksOthers: true, maxAttempts: 1 },
  // In a queue of its own, so that no other work delays a charge, and two runs never overlap.
  { task: 'top_up', everyMinutes: 1, queue: 'top_up', asksOthers: true, maxAttempts: 1 },
  { task: 'queue_documents', everyMinutes: 1 },
  { task: 'add_up_status', everyMinutes: 5, queue: 'status', maxAttempts: 1 },
  { task: 'add_up_activity', everyMinutes: 10, queue: 'activity', maxAttempts: 1 },
  { task: 'forget_old', everyMinutes: 60, atMinute: 17 },
  // In a queue of its own, so that two runs never overlap. The previous hour ended more than ten minutes ago.
  { task: 'count_margin', everyMinutes: 60, atMinute: 12, queue: 'margin', maxAttempts: 1 },
  // In a queue of its own: sellers may be slow, and two runs never overlap.
  { task: 'read_sellers', everyMinutes: 1, queue: 'sellers', asksOthers: true, maxAttempts: 1 },
  { task: 'close_bills', everyMinutes: 60, atMinute: 3, queue: 'bills' },
  // In a queue of its own, so that two runs never overlap.
  { task: 'erase_hosts', everyMinutes: 1, queue: 'erase_hosts', maxAttempts: 1 },
  { task: 'add_up_connections', everyMinutes: 60, atMinute: 4 },
  // In a queue of its own: a month of a hundred million entries takes minutes to verify.
  { task: 'keep_books', everyMinutes: 60, atMinute: 7, queue: 'books', maxAttempts: 1 },
]
/** The maximum number of subjects of a kind whose alerts are kept. */
const mostNamed = 1_000
const queueEveryMs = 5_000

/** A job that is locked for longer than this belongs to a killed worker: no job takes as long. */
const deadAfterMinutes = 10

/** Where the state of the jobs is reported. */
interface Watched {
  /** Null: the process has no metrics. */
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
  gatewaysMetrics(database, registry)
}

async function beginShift(services: Services): Promise<Shift> {
  const { database, log, settings } = services
  const { db } = database
  // On the embedded database this is the only worker: locked jobs were locked by a killed one.
  if (settings.databaseUrl === null) await releaseJobs(db, { heldMinutes: 0 })
  await queueDue(db, recurring)
  const jobs = await runJobs(database, {
    // Companies that do not answer, all of them, must not delay the expiry of leases.
    concurrency: mostWaiting(recurring) + 3,
    logger: jobLogger(log),
    report: (sentence, error) =>
      error === undefined ? log.info(sentence) : log.error({ err: error }, sentence),
    tasks: services.counts.jobs(await renewedLater(services, () => tasksOf(services))),
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

/** The tasks of the books: sums, the margin, bills, and their retention. */
function bookTasks({ database: { db }, log, settings }: Services, now: () => Promise<Date>): TaskList {
  return {
    keep_books: async () => {
      const kept = await readShopSettings(db, settings.pinned)
      const { made, dropped, closed } = await keepBooks(db, {
        hourMonths: Number(kept.usage_hours_months) || null,
        dayMonths: Number(kept.usage_days_months) || null,
      })
      if (made > 0 || dropped.length > 0 || closed.length > 0)
        log.info({ made, dropped, closed }, 'the books were kept')
    },
    count_margin: async () => countMargin(db, await now()),
    close_bills: async () => {
      const begun = performance.now()
      await closeBills(db, { paidPerGb, requests: requestsByHour })
      const at = await now()
      if (await makeBillRoot(db, at)) log.info('the root of the day over all bills was made')
      const count = await sendBillNotices(db, at, () => performance.now() - begun > billsForMs)
      if (count > 0) log.info({ count }, 'customers were told of their bills')
    },
    add_up_connections: async () => {
      await addUpConnections(db)
    },
    // Limited to less than the period: the first run may have years of postings to add up.
    add_up_postings: async () => {
      await addUpPostings(db, { forMs: 45_000 })
    },
  }
}

async function tasksOf(services: Services): Promise<TaskList> {
  const { database, log, secrets, settings } = services
  const { db, clock } = database
  const isSteady = steadiness(await database.watch())
  /** Read anew, because the machine may have been suspended since the last reading. */
  const now = async () => {
    await clock.refresh()
    return clock.now()
  }
  // Imported here, so that no other process loads React and the SMTP client.
  const { mailJobs, mailTransport } = await import('#mail/jobs')
  return {
    ...moneyTasks(services, now),
    ...bookTasks(services, now),
    end_blocks: async () => {
      const count = await unblockDue(db, await now())
      if (count > 0) log.info({ count }, 'blocks of customers ended')
    },
    expire_leases: async () => {
      if (isSteady()) await expireLeases(db)
      await returnReserves(db)
      await giveUpSetBacks(db)
    },
    expire_whitelist_claims: async () => {
      const count = await expireClaims(db)
      if (count > 0) log.info({ count }, 'addresses on whitelists expired: they were not proven')
    },
    add_up_status: async () => addUpStatus(db, await now()),
    add_up_activity: async () => addUpActivity(db, await now()),
    erase_hosts: async () => {
      const begun = performance.now()
      const count = await eraseWithheld(db, () => performance.now() - begun > erasingForMs)
      if (count > 0) log.info({ count }, 'hosts of customers who do not want them kept were erased')
    },
    forget_old: async () => forgetOld(services, await now()),
    [finishErasureTask]: async (payload) =>
      finishErasure(database, { secrets, forgetAnswers: forgetCallAnswers }, payload, await now()),
    note_balances: () => noteHeld(db),
    note_margins: async () => noteCustomerMargins(db, await now()),
    send_notices: noticesTask(services, now),
    read_sellers: () => readSellers(services, now),
    release_jobs: () => releaseJobs(db, { heldMinutes: deadAfterMinutes }),
    ...accountJobs({ db, secrets }),
    ...emailJobs({ db, secrets, now }),
    follow_alerts: async () => {
      const count = await followAlertsNow(services, await now())
      if (count > 0) log.info({ count }, 'alerts opened or ended')
    },
    ...botJobs({ database, tell: tellDeps(services), publicUrl: settings.publicUrl }, telegramOf(settings)),
    ...mailJobs({
      db,
      secrets,
      transport: mailTransport({
        smtp: settings.mail.smtp,
        outboxDir: path.join(settings.dataDir, 'outbox'),
      }),
      from: settings.mail.from,
      publicUrl: settings.publicUrl,
      brand: () => brandOfLetters(db),
      documentOf: async (number, kind) =>
        documentForLetter(database, documentDeps(services), { number, kind }, await now()),
      noteFailure: (id, reason) => log.warn({ mail: id, reason }, 'a letter was given up'),
      now: () => clock.now(),
    }),
  }
}

function noticesTask({ database: { db }, log, settings }: Services, now: () => Promise<Date>) {
  let isFirst = true
  return async () => {
    const at = await now()
    const ofTraffic = await sendNotices(db, at, isFirst ? { lookBackMs: firstLookMs } : {})
    isFirst = false
    await watchPlaces(db, at)
    const { trouble_told_minutes: minutes } = await readShopSettings(db, settings.pinned)
    const count = ofTraffic + (await sendTroubleNotices(db, at, { minutes }))
    if (count > 0) log.info({ count }, 'customers were told of their traffic or of trouble')
  }
}

/** The maximum duration of a run, so that its job does not count as one of a killed worker. */
const sellersForMs = 4 * 60_000
const erasingForMs = 4 * 60_000
const billsForMs = 4 * 60_000

/** Reads those of the operator's accounts at sellers that are due. */
async function readSellers(
  { database, secrets, settings, log }: Services,
  now: () => Promise<Date>,
): Promise<void> {
  const deps = sellerDeps(database, { secrets, bases: settings.sellerBases, author: systemAuthor() })
  const report = ({ id, part, reason, error }: SellerTrouble) => {
    const facts = { account: String(id), part, reason }
    const sentence = 'an account at a seller cannot be read'
    if (error === undefined) log.warn(facts, sentence)
    else log.error({ ...facts, err: error }, sentence)
  }
  await readDueSellers(database, deps, { now, forMs: sellersForMs, report })
}

/** Checks exits and everything else that needs staff, and notifies them. */
async function followAlertsNow(services: Services, at: Date): Promise<number> {
  const { database, settings } = services
  await watchExits(database.db, at)
  const needs = await findNeeds(database, needDeps(services), { now: at, most: mostNamed })
  const figures = (period: { from: Date; until: Date }) => dayFigures(database, period)
  return followAlerts(database.db, { ...tellDeps(services), zone: settings.desk.zone, figures }, needs, at)
}

/** The tasks of invoices: payments, receipts, documents. */
function moneyTasks(services: Services, now: () => Promise<Date>): TaskList {
  const { database, log } = services
  const deps = documentDeps(services)
  return {
    expire_invoices: async () => {
      const count = await expireInvoices(database.db, await now())
      if (count > 0) log.info({ count }, 'invoices expired')
    },
    reconcile_payments: async () => {
      const deps = purchaseDeps(services)
      const { asked, credited } = await reconcileInvoices(database, deps, await now())
      const sent = await sendRefunds(database, deps, await now())
      const returned = await watchReturns(database, deps, await now())
      const ended = await askForRefunds(database, deps, await now())
      await askForFees(database, deps, await now())
      if (credited > 0 || sent > 0 || returned > 0 || ended > 0)
        log.info({ asked, credited, sent, returned, ended }, 'payments reconciled')
    },
    register_receipts: async () => {
      const count = await registerReceipts(database, purchaseDeps(services), await now())
      if (count > 0) log.info({ count }, 'fiscal receipts registered')
    },
    top_up: async () => {
      const { saved, made, succeeded, failed } = await runTopUps(database, topUpDeps(services), await now())
      if (saved + made + succeeded + failed > 0)
        log.info({ saved, made, succeeded, failed }, 'automatic top-up')
    },
    [forgetMethodTask]: (payload) => forgetMethod(services, payload),
    queue_documents: async () => void (await queueDueDocuments(database, deps, await now())),
    [makeDocumentTask]: async (payload) => makeDocumentJob(database, deps, payload, await now()),
  }
}

/** Deletes what has expired, and what is older than the settings say. */
async function forgetOld({ database: { db }, settings, secrets }: Services, at: Date): Promise<void> {
  const kept = await readShopSettings(db, settings.pinned)
  await forgetExpiredSessions(db, at)
  await forgetEndedSessions(db, at)
  await forgetEndedViews(db, at)
  await forgetExpiredTokens(db, at)
  await completeEmailChanges(db, secrets, at)
  await forgetEmailChanges(db, at)
  await forgetChallenges(db, at)
  await forgetOldAttempts(db, at)
  await forgetAnswers(db, at)
  await forgetOldKeys(db)
  await forgetOutcomes(db, at)
  await forgetEnded(db)
  await forgetOldMail(db, { now: at, keptDays: Number(kept.letters_days) })
  await forgetOldSignIns(db, { now: at, keptDays: Number(kept.sign_ins_days) })
  await forgetExpiredInvitations(db, at)
  await forgetOldActs(db, at)
  await forgetTelegramCodes(db, at)
  await forgetOldUpdates(db, at)
  await forgetAlerts(db, at)
  await forgetForgedWebhooks(db, at)
  await forgetOldRequests(db, { now: at, keptDays: Number(kept.connection_log_days) })
  await pruneLeases(db)
  const ofUsers = { months: Number(kept.deleted_users_months), recordDays: Number(kept.connection_log_days) }
  await forgetDeletedUsers(db, { now: at, ...ofUsers })
  await forgetGateways(db)
}

/** The worker's access to Telegram; null when there is no bot. */
function telegramOf({ telegram: { token, apiRoot } }: Settings): { token: string; apiRoot: string } | null {
  return token === null ? null : { token, apiRoot }
}
