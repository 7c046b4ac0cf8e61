/** The fifteen jobs of an owner at the desk, each from the first page to its proven result. */
import {
  answerComplaint,
  block,
  creditMany,
  findCustomer,
  giveTraffic,
  help,
  invite,
  readRefusal,
  repriceLossMaker,
  unblock,
} from './customers.ts'
import { answerDispute, changePrice, closeMonth, payOut, refundHalf } from './money.ts'
import { readMargin, setCost, switchOff } from './network.ts'
import type { Prepared } from './prepare.ts'
import { beginBanner, makeCodes, publishBanner, removeBanner } from './shop.ts'
import { inOwnWindow, type Walk } from './walk.ts'

export interface Job {
  name: string
  do: (walk: Walk, on: Prepared) => Promise<void>
  /** What does not belong to the job: the part of another person, or undoing it for the jobs after it. */
  after?: (walk: Walk, on: Prepared) => Promise<void>
}

const find = (walk: Walk, { customer }: Prepared) => findCustomer(walk, customer.username, customer)

/** A price that no run had before, above the highest cost. */
const priceOf = ({ language, width }: Walk): string =>
  (9 + (language === 'ru' ? 0.1 : 0.2) + (width === 'phone' ? 0.05 : 0)).toFixed(2)

export const jobs: readonly Job[] = [
  {
    name: '1-complaint',
    do: async (walk, on) => {
      await findCustomer(walk, on.login, on.customer)
      await readRefusal(walk)
    },
  },
  {
    name: '3-credit',
    do: async (walk, on) => {
      await find(walk, on)
      // The tunnel of the preparation used a little.
      await giveTraffic(walk, { after: '2.99' })
    },
  },
  {
    name: '2-refund',
    do: async (walk, on) => {
      await find(walk, on)
      await refundHalf(walk)
    },
  },
  {
    name: '5-abuse',
    do: (walk, { target, customer }) => answerComplaint(walk, `${target.host}:${target.echoPort}`, customer),
  },
  {
    name: '4-block',
    do: async (walk, on) => {
      const live = await on.open(on.target.echoPort)
      await live.echo('hello')
      await find(walk, on)
      await block(walk, live)
    },
    after: unblock,
  },
  { name: '6-exit-down', do: (walk, { down }) => switchOff(walk, down.url, down.name) },
  {
    name: '7-cost-rises',
    do: async (walk, { dear }) => {
      await setCost(walk, dear.name, walk.language === 'ru' ? '6,50' : '6.50')
      await readMargin(walk, dear.pool)
      await changePrice(walk, dear.pool, priceOf(walk))
    },
  },
  {
    name: '8-codes',
    do: (walk) => makeCodes(walk, `Fair ${walk.language} ${walk.width}`),
  },
  {
    name: '9-banner',
    do: async (walk) => {
      await beginBanner(walk)
      await publishBanner(walk)
    },
    after: removeBanner,
  },
  {
    name: '10-helper',
    do: async (walk) => {
      await invite(walk, `helper-${walk.language}-${walk.width}`)
      await walk.look('link')
    },
    after: async (walk, { customer: { username }, dear }) => {
      const link = await walk.dialog.locator('code').innerText()
      await inOwnWindow(walk, (page) => help({ ...walk, page }, { link, username, exit: dear.name }))
    },
  },
  { name: '11-month', do: closeMonth },
  { name: '12-dispute', do: answerDispute },
  { name: '13-payout', do: (walk, { partner }) => payOut(walk, partner) },
  { name: '14-bulk-credit', do: (walk) => creditMany(walk, 'forum') },
  { name: '15-loss-maker', do: (walk, { priceList }) => repriceLossMaker(walk, priceList) },
]
