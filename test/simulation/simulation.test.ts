import { expect, it } from 'vitest'
import { simulate } from './simulation.ts'

/** `npm run simulate` runs thousands. */
const lives = 50

it('fifty lives of a shop: the books verify, every paid invoice is credited once, every byte charged once', async () => {
  const said: string[] = []
  const { seeds, failed, counts } = await simulate({ from: 1, seeds: lives, say: (line) => said.push(line) })
  expect(said).toEqual([])
  expect({ seeds, failed }).toEqual({ seeds: lives, failed: 0 })
  // A simulation without events proves nothing.
  const happened = [
    'connections cut',
    'database restarts',
    'forged notifications: invalid_webhook_signature',
    'gateway: journal failed',
    'gateways killed',
    'leases given up',
    'notifications',
    'notifications lost',
    'notifications: database away',
    'orders',
    'orders: database away',
    'processor faults',
    'referral payments',
    'refunds',
    'reports',
    'spendings',
    'traffic codes',
  ]
  expect(happened.filter((what) => (counts.get(what) ?? 0) < 5)).toEqual([])
}, 1_200_000)
