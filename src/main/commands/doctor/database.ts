/** The checks of doctor that use the database. */
import type { Kysely } from 'kysely'
import { variablesOf } from '#contract/desk/variables'
import type { DatabaseClock, DB } from '#db'
import { setBacksOf } from '#traffic'
import { missingPartitions, verifyBooks } from '../../books.ts'
import { clockFault } from '../../clock.ts'
import { setBackSentence } from '../../health/database.ts'
import { checkKey, isOperators, KeyFault, sealedCounts, setAnew, unopenedNames } from '../../keys/keys.ts'
import { renewSettings } from '../../renewal.ts'
import { openUnchecked, type Services } from '../../services.ts'
import type { Settings } from '../../settings/settings.ts'
import { type Check, checkOf, type Role } from './check.ts'
import { shopChecks } from './shop.ts'

/**
 * The checks of a machine with a database; none for a gateway that uses another machine's feed. `settings` of
 * the result are those in force: of the environment, and of the desk where the environment leaves them to it.
 */
export async function databaseChecks(
  settings: Settings,
  role: Role,
): Promise<{ checks: Check[]; settings: Settings }> {
  if (settings.feed.connect !== null && settings.databaseUrl === null) return { checks: [], settings }
  const check = checkOf('database')
  let services: Services
  try {
    services = await openUnchecked(settings, 'guest')
  } catch (error) {
    // The message is a sentence for the operator, such as the refusal of a pooler or of servers without a
    // primary.
    return { checks: [check('trouble', error instanceof Error ? error.message : String(error))], settings }
  }
  try {
    const { db, clock } = services.database
    const desk = await deskChecks(services)
    const checks = [
      check('ok', 'It answers and is up to date.'),
      clockCheck(clock),
      ...(await keyChecks(services)),
      ...desk,
      await setBackCheck(db),
      ...(role === 'gateway' ? [] : [await ledgerCheck(db), await partitionCheck(db)]),
      ...(role === 'shop' ? await shopChecks(services) : []),
    ]
    return { checks, settings: services.settings }
  } finally {
    await services.database.close()
  }
}

/** Takes over the settings of the desk, and says which of them this machine does not use. */
export async function deskChecks(services: Parameters<typeof renewSettings>[0]): Promise<Check[]> {
  const check = checkOf('settings')
  const { fault, overruled } = await renewSettings(services)
  return [
    ...overruled.map((group) =>
      check(
        'warning',
        `The desk has set ${group}, and the settings of this machine set it too: this machine uses its own (${variablesOf(group).join(', ')}). Remove them here, or at the desk.`,
      ),
    ),
    ...(fault === null
      ? []
      : [check('trouble', `What the desk has set is not used, because it does not fit: ${fault}`)]),
  ]
}

async function ledgerCheck(db: Kysely<DB>): Promise<Check> {
  const check = checkOf('ledger')
  const { length } = await verifyBooks(db)
  return length === 0
    ? check('ok', 'Everything adds up.')
    : check('trouble', `${length} findings. Stop selling, and see: turnpike ledger verify`)
}

/** Checks SECRET_KEY against the database's check of the key, and every sealed value against the key. */
export async function keyChecks(
  services: Pick<Services, 'database' | 'secrets' | 'settings'>,
): Promise<Check[]> {
  const check = checkOf('key')
  const { database, secrets, settings } = services
  try {
    await checkKey(database, secrets, settings)
  } catch (error) {
    if (error instanceof KeyFault) return [check('trouble', error.message)]
    throw error
  }
  const counts = await sealedCounts(database, secrets)
  const old = counts.reduce((sum, count) => sum + count.old, 0)
  const unopened = counts.filter((count) => count.unopened > 0)
  return [
    ...unopened.map((count) => {
      const sentence = `${count.unopened} ${count.what} cannot be unsealed (${unopenedNames(count)}).`
      return isOperators(count)
        ? check('trouble', `${sentence} ${setAnew(count)}`)
        : check('warning', `${sentence} Their owners have to reset them.`)
    }),
    !secrets.hasOldKey
      ? check('ok', 'It is the key of this database.')
      : old > 0
        ? check('warning', `${old} secrets are sealed with the old key. Run: turnpike key rotate`)
        : check(
            'warning',
            'Nothing is sealed with the old key any more. Remove SECRET_KEY_OLD or DATA_DIR/secret.old, and restart.',
          ),
  ]
}

/**
 * A missing partition causes no failure: rows go to the default partition, and are moved when the month's
 * partition is created.
 */
export async function partitionCheck(db: Kysely<DB>): Promise<Check> {
  const check = checkOf('partitions')
  const missing = await missingPartitions(db)
  return missing.length === 0
    ? check('ok', 'This month and the next are there.')
    : check(
        'warning',
        `There is none of ${missing.join(', ')}. A worker makes them every hour: is one running?`,
      )
}

/**
 * Times in rows come from the database's clock; a machine whose own clock is wrong does no scheduled work.
 */
export function clockCheck(clock: Pick<DatabaseClock, 'isRight' | 'aheadMs'>): Check {
  const check = checkOf('clock')
  const fault = clockFault(clock)
  return fault === null
    ? check('ok', "It agrees with the database's.")
    : check('trouble', `${fault} Set it right: no scheduled work is done here until then.`)
}

const setBackDays = 30

/**
 * Reports a failover to a server that lacked the last commits, or a restored backup, which `verifyBooks`
 * cannot detect.
 */
export async function setBackCheck(db: Kysely<DB>): Promise<Check> {
  const check = checkOf('history')
  const last = (await setBacksOf(db, { days: setBackDays })).at(-1)
  return last === undefined
    ? check('ok', 'The database knows all that it has acknowledged.')
    : check(
        'trouble',
        `${setBackSentence(last)} It was noticed on ${last.noticedAt.toISOString()}. Ask the processors: turnpike payments check <number>. This is told for ${setBackDays} days.`,
      )
}
