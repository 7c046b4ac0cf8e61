/** Requests as they happen, and requests that were refused and are repaired by a button. */
import { origin } from '../browser/shop.ts'
import { ask, type Customer, lineOf, send, statusOf } from './people.ts'
import type { Shot, Stage } from './shot.ts'

const tab = '/account?tab=requests'

const rows = ({ page, text }: Stage) =>
  page.getByRole('list', { name: text('requests:list') }).getByRole('listitem')

/** The customer of the page, as they are signed in there. */
const here = ({ page }: Stage): Promise<Customer> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? '{}') as Customer)

/** Waits until the page receives live requests. */
const follow = ({ page, text }: Stage) => page.getByText(text('requests:live'), { exact: true }).waitFor()

/** Sends requests through the gateway, one of which is refused, while the page is open. */
async function sendSome(stage: Stage): Promise<void> {
  const line = await lineOf(stage.page, await here(stage), 'residential')
  await send(line, `${origin()}/api/echo?bytes=150000`)
  await send(line, 'http://10.20.30.40/')
  await send(line, `${origin()}/api/echo?bytes=3000`)
}

/** Opens the newest refused request of this code. */
async function openRefused(stage: Stage, code: string): Promise<void> {
  await stage.open(`${tab}&code=${code}`)
  await rows(stage).first().getByRole('link').first().click()
  await stage.page.getByRole('heading', { level: 1 }).first().waitFor()
}

/** Presses the button that repairs, and waits for its result. */
async function repair({ page }: Stage, name: string): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(name) })
    .first()
    .click()
  await page.getByRole('status').filter({ hasText: /./ }).first().waitFor()
}

/** Sends requests until the gateway refuses them with this status. */
async function untilRefused(line: string, target: string, status: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) if ((await statusOf(line, target)) === status) return
  throw new Error(`no request was refused with ${status}`)
}

export const liveShots: readonly Shot[] = [
  {
    name: 'account-requests-live',
    who: 'capped',
    path: tab,
    act: async (stage) => {
      await follow(stage)
      const before = await rows(stage).count()
      await sendSome(stage)
      await rows(stage)
        .nth(before + 2)
        .waitFor()
    },
  },
  {
    name: 'account-requests-paused',
    who: 'capped',
    path: tab,
    act: async (stage) => {
      await follow(stage)
      await stage.press(stage.text('requests:pause'))
      await sendSome(stage)
      await stage.page
        .getByText(stage.text('requests:waiting_other', { count: '3' }))
        .first()
        .waitFor()
    },
  },
]

/** The order matters: a picture repairs the refusal of the picture before it. */
export const repairShots: readonly Shot[] = [
  {
    name: 'account-repair-list',
    who: 'capped',
    path: tab,
    act: async (stage) => {
      const customer = await here(stage)
      await ask(stage.page, customer, 'set_pool_limits', { pool: 'residential', day_bytes: 1_000_000 })
      const line = await lineOf(stage.page, customer, 'residential')
      await untilRefused(line, `${origin()}/api/echo?bytes=200000`, 402)
      await rows(stage)
        .filter({ hasText: stage.text('gatewayRefusals:advice.cap_reached') })
        .first()
        .waitFor()
    },
  },
  {
    name: 'account-repair-before',
    who: 'capped',
    path: tab,
    act: async (stage) => {
      await openRefused(stage, 'cap_reached')
      const raise = new RegExp(stage.text('requests:repair.raiseToday'))
      await stage.page
        .getByRole('button', { name: raise })
        .and(stage.page.locator(':not([aria-busy])'))
        .waitFor()
    },
  },
  {
    name: 'account-repair-after',
    who: 'capped',
    path: tab,
    act: async (stage) => {
      await openRefused(stage, 'cap_reached')
      await repair(stage, stage.text('requests:repair.raiseToday'))
    },
  },
  {
    name: 'account-repair-frozen',
    who: 'capped',
    path: tab,
    act: async (stage) => {
      const customer = await here(stage)
      const pool = 'residential'
      await ask(stage.page, customer, 'set_pool_limits', { pool, day_bytes: null })
      const label = stage.language === 'ru' ? 'Бригада' : 'Crew'
      const made = await ask(stage.page, customer, 'create_proxy_user', { pool, label })
      const { number } = JSON.parse(made) as { number: number }
      const line = await lineOf(stage.page, customer, pool, number)
      await ask(stage.page, customer, 'freeze_proxy_user', { pool, number, frozen: true })
      await untilRefused(line, `${origin()}/api/echo`, 403)
      await openRefused(stage, 'user_frozen')
      await stage.page.getByRole('button', { name: stage.text('requests:repair.unfreeze') }).waitFor()
    },
  },
  {
    name: 'account-repair-unfrozen',
    who: 'capped',
    path: tab,
    act: async (stage) => {
      await openRefused(stage, 'user_frozen')
      await repair(stage, stage.text('requests:repair.unfreeze'))
    },
  },
]
