/** Background jobs: graphile-worker on the same database, so that a job and what it is for commit together. */
import path from 'node:path'
import { run } from 'graphile-worker'
import { accountJobs, forgetExpiredSessions, forgetExpiredTokens, forgetOldAttempts } from '#accounts'
import { forgetTelegramCodes } from '#accounts/telegram/code'
import { botJobs, forgetOldUpdates } from '#bot'
import { readContent } from '#content'
import { releaseJobs } from '#db/jobs'
import { forgetOldMail } from '#mail'
import { forgetForgedWebhooks } from '#payments'
import { expireInvoices, reconcileInvoices, sendRefunds } from '#purchase'
import { forgetOldRequests } from '#requests'
import { expireLeases, pruneLeases } from '#traffic'
import { keepBooks } from './books.ts'
import { jobLogger } from './jobs.log.ts'
import { purchaseDeps, type Services } from './services.ts'
import type { Settings } from './settings.ts'
import type { Stopper } from './stop.ts'

/** Minute by minute; graphile-worker runs each exactly once however many workers there are. */
const crontab = [
  '* * * * * expire_invoices',
  '* * * * * expire_leases',
  '* * * * * release_jobs',
  // In a queue of its own, so that a slow run is followed by the next one, never met by it.
  '* * * * * reconcile_payments ?queue=payments&max=1',
  '17 * * * * forget_old',
  // In a queue of its own: a month of a hundred million entries takes minutes to verify.
  '7 * * * * keep_books ?queue=books&max=1',
].join('\n')

/** No job of ours takes as long as this: its worker was killed. */
const deadAfterMs = 10 * 60_000

export async function startWorker(services: Services, stopper: Stopper): Promise<void> {
  const { database, log, secrets, settings } = services
  const { db } = database
  const now = () => new Date()
  // Only here, so that no other process carries React and an SMTP client.
  const { mailJobs, mailTransport } = await import('#mail/jobs')
  // On the embedded database this is the only worker: what is held was held by one that was killed.
  if (settings.databaseUrl === null) await releaseJobs(db, now())
  const runner = await run({
    // Not our pool: graphile-worker writes job ids as JSON, which has no bigint.
    connectionString: database.url,
    maxPoolSize: 6,
    // A mail server that hangs must not keep leases from expiring.
    concurrency: 4,
    noHandleSignals: true,
    crontab,
    logger: jobLogger(log),
    taskList: {
      expire_invoices: async () => {
        const count = await expireInvoices(db, new Date())
        if (count > 0) log.info({ count }, 'invoices expired')
      },
      reconcile_payments: async () => {
        const deps = purchaseDeps(services)
        const { asked, credited } = await reconcileInvoices(database, deps, now())
        const sent = await sendRefunds(database, deps, now())
        if (credited > 0 || sent > 0) log.info({ asked, credited, sent }, 'payments reconciled')
      },
      expire_leases: async () => {
        await expireLeases(db)
      },
      forget_old: async () => {
        await forgetExpiredSessions(db, new Date())
        await forgetExpiredTokens(db, new Date())
        await forgetOldAttempts(db, new Date())
        await forgetOldMail(db, new Date())
        await forgetTelegramCodes(db, new Date())
        await forgetOldUpdates(db, new Date())
        await forgetForgedWebhooks(db, new Date())
        await forgetOldRequests(db, new Date())
        await pruneLeases(db)
      },
      keep_books: async () => {
        const { made, dropped, closed } = await keepBooks(db, settings.usageKept)
        if (made > 0 || dropped.length > 0 || closed.length > 0)
          log.info({ made, dropped, closed }, 'the books were kept')
      },
      release_jobs: () => releaseJobs(db, new Date(Date.now() - deadAfterMs)),
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
        now,
      }),
    },
  })
  stopper.add('the worker', () => runner.stop())
}

/** How the worker speaks to Telegram; null when there is no bot. */
function telegramOf({ telegram: { token, apiRoot } }: Settings): { token: string; apiRoot: string } | null {
  return token === null ? null : { token, apiRoot }
}
