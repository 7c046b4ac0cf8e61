/** The checks of doctor on sales: prices, exits, payment methods, inventory and backups. */
import type { Kysely } from 'kysely'
import { basePrices } from '#catalog'
import { databaseTime, type DB, lastBackup } from '#db'
import { listExits } from '#exits'
import { isDemoInventory } from '#inventory'
import type { Secrets } from '#lib/secret'
import { listRates, type PaymentMethods } from '#payments'
import type { Services } from '../../services.ts'
import type { Settings } from '../../settings/settings.ts'
import { type Check, checkOf, wholeDays } from './check.ts'

export async function shopChecks({
  database: { db },
  methods,
  secrets,
  settings,
}: Services): Promise<Check[]> {
  const now = await databaseTime(db)
  return [
    await priceCheck(db),
    ...(await exitChecks(db, secrets)),
    ...(await paymentChecks(db, methods, now)),
    await inventoryCheck(db, settings),
    ...(settings.databaseUrl === null && !settings.demo ? [await backupCheck(db, now)] : []),
  ]
}

export async function priceCheck(db: Kysely<DB>): Promise<Check> {
  const check = checkOf('prices')
  const prices = await basePrices(db)
  return prices.size === 0
    ? check('trouble', 'No pool has a price, so nothing is sold: turnpike prices set residential 3.50')
    : check('ok', `On sale: ${[...prices.keys()].join(', ')}.`)
}

/** Whether every pool on sale has an exit that gateways can use. */
export async function exitChecks(db: Kysely<DB>, secrets: Secrets): Promise<Check[]> {
  const check = checkOf('exits')
  const usable = new Set((await listExits(db, secrets)).map(({ pool }) => pool))
  const without = [...(await basePrices(db)).keys()].filter((pool) => !usable.has(pool))
  return without.length === 0
    ? [check('ok', 'Every pool on sale has one.')]
    : without.map((pool) =>
        check(
          'trouble',
          `${pool} is sold and has no exit: its customers get 503. See: turnpike exits add --help`,
        ),
      )
}

/** After this time a rate may have changed by more than the profit of a sale. */
const rateDays = 7

/** Checks the payment methods, and the age of the exchange rates that some of them use. */
export async function paymentChecks(db: Kysely<DB>, methods: PaymentMethods, now: Date): Promise<Check[]> {
  const check = checkOf('payments')
  const all = methods.list()
  if (all.length === 0)
    return [
      check('trouble', 'No payment method is set up, so nothing can be bought: see the operator’s guide.'),
    ]
  const rates = new Map((await listRates(db)).map((rate) => [rate.currency, rate]))
  const foreign = all.filter(({ currency }) => currency !== 'USD')
  const findings = foreign.flatMap(({ name, currency }) => {
    const rate = rates.get(currency)
    if (rate === undefined)
      return [
        check(
          'trouble',
          `${name} is not offered: there is no rate. Set it: turnpike rates set ${currency} …`,
        ),
      ]
    const days = wholeDays(rate.setAt, now)
    if (days < rateDays) return []
    return [
      check(
        'warning',
        `The rate of ${currency} for ${name} is ${days} days old: turnpike rates set ${currency} …`,
      ),
    ]
  })
  return findings.length > 0 ? findings : [check('ok', `Set up: ${all.map(({ name }) => name).join(', ')}.`)]
}

/** Outside of a demo, its made-up inventory is a fault: it is displayed, and lines are validated by it. */
export async function inventoryCheck(db: Kysely<DB>, { demo }: Pick<Settings, 'demo'>): Promise<Check> {
  const check = checkOf('inventory')
  const isMadeUp = await isDemoInventory(db)
  if (!isMadeUp) return check('ok', 'Nothing in it is made up.')
  return demo
    ? check('ok', 'It is the made-up one of the demo.')
    : check(
        'trouble',
        'Customers are shown the made-up addresses of the demo, and their lines are judged by them. Import yours, then: turnpike inventory remove demo',
      )
}

const backupDays = 7

/** The age of the last backup of the embedded database; another PostgreSQL is backed up by its own tools. */
export async function backupCheck(db: Kysely<DB>, now: Date): Promise<Check> {
  const check = checkOf('backup')
  const last = await lastBackup(db)
  if (last === null) return check('warning', 'None was ever made: turnpike backup <file>')
  const days = wholeDays(last, now)
  const day = last.toISOString().slice(0, 10)
  return days < backupDays
    ? check('ok', `The last one was made on ${day}.`)
    : check('warning', `The last one was made on ${day}, ${days} days ago: turnpike backup <file>`)
}
