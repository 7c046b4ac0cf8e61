import { expect, it } from 'vitest'
import { isLong, sized } from '../size.ts'
import { simulate } from './simulation.ts'

/** `npm run simulate` runs thousands. */
const lives = sized(12, 50)

const decided = [
  'automatic charges',
  'connections cut',
  'database restarts',
  'forged notifications: invalid_webhook_signature',
  'gateway: journal failed',
  'gateways killed',
  'leases given up',
  'notifications',
  'notifications lost',
  'orders',
  'referral payments',
  'refunds',
  'reports',
  'returned: dispute',
  'returned: part',
  'spendings',
  'top-ups',
  'traffic codes',
]

/** These depend on the moment at which a fault occurs: a dozen lives may pass without one of them. */
const timed = ['notifications: database away', 'orders: database away', 'processor faults']

it(`${lives} lives of a shop: the books verify, every paid invoice is credited once, every byte charged once`, async () => {
  const said: string[] = []
  const { seeds, failed, counts } = await simulate({ from: 1, seeds: lives, say: (line) => said.push(line) })
  expect(said).toEqual([])
  expect({ seeds, failed }).toEqual({ seeds: lives, failed: 0 })
  // A simulation without events proves nothing. What the dice decide happens in every run of the same seeds.
  expect(decided.filter((what) => (counts.get(what) ?? 0) < sized(1, 5))).toEqual([])
  if (isLong) expect(timed.filter((what) => (counts.get(what) ?? 0) < 5)).toEqual([])
}, 1_200_000)
