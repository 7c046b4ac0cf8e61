import { expect, it } from 'vitest'
import { sized } from '../size.ts'
import { simulate } from './simulation.ts'

/** `npm run simulate` runs thousands. */
const lives = sized(60, 500)

/**
 * A simulation without events proves nothing. No single life has to have them all: together they do, many
 * times, whatever the moment at which a fault occurs.
 */
const events = [
  'automatic charges',
  'books kept',
  'bytes given',
  'bytes taken',
  'connections cut',
  'connections ended',
  'database restarts',
  'disputes of customers with reserves',
  'disputes of top-ups',
  'fees asked for',
  'forged notifications: invalid_webhook_signature',
  'gateway: journal failed',
  'gateways killed',
  'leases given up',
  'lines of many',
  'looks',
  'many deleted',
  'many frozen or freed',
  'notifications',
  'notifications doubled',
  'notifications lost',
  'notifications: database away',
  'orders',
  'orders: database away',
  'passwords chosen',
  'passwords renewed',
  'pools added',
  'processor faults',
  'proxy users deleted',
  'proxy users forgotten',
  'proxy users made',
  'proxy users with a chosen password',
  'referral payments',
  'balance payments',
  'top-ups of balances',
  'refunds',
  'refunds of top-ups',
  'refunds to money balances',
  'removals of cards',
  'replays',
  'reports',
  'reserves returned',
  'reserves spent from',
  'returned: dispute',
  'returned: fail',
  'returned: lost',
  'returned: part',
  'returned: won',
  'spendings',
  'top-ups',
  'traffic codes',
  'visits of proxy users',
]

it(`${lives} lives of a shop: the books verify, every paid invoice is credited once, every byte charged once`, async () => {
  const said: string[] = []
  const { seeds, failed, counts } = await simulate({ from: 1, seeds: lives, say: (line) => said.push(line) })
  expect(said).toEqual([])
  expect({ seeds, failed }).toEqual({ seeds: lives, failed: 0 })
  expect(events.filter((what) => (counts.get(what) ?? 0) === 0)).toEqual([])
}, 1_200_000)
