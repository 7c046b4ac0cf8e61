import { afterAll, beforeAll, expect, it } from 'vitest'
import { removePrice, setPrice } from '#catalog'
import { writePart } from '#content'
import { setupStepNames } from '#contract/desk/setup'
import { transaction } from '#db'
import { seedDemoExits } from '#exits'
import { app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  await shop.watchSettings()
  for (const pool of ['residential', 'residential_premium', 'mobile', 'datacenter'] as const)
    await removePrice(shop.database.db, pool)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const states = async () => {
  const steps = await owner.call('setup', {})
  return Object.fromEntries(steps.map(({ step, state }) => [step, state]))
}
const left = async () => (await owner.call('today', {})).setup_left

it('an empty shop has all steps before it, in their order', async () => {
  const steps = await owner.call('setup', {})
  expect(steps.map(({ step }) => step)).toEqual([...setupStepNames])
  expect(await states()).toMatchObject({
    brand: 'todo',
    prices: 'todo',
    exits: 'todo',
    purchase: 'todo',
    mail: 'todo',
    bot: 'optional',
    alerts: 'todo',
    legal: 'todo',
  })
})

it('a step is done when doctor finds nothing of it any more; Today counts those that are left', async () => {
  const { db } = shop.database
  const before = await left()
  await transaction(db, (tx) =>
    writePart(tx, 'brand', { name: 'Night Shift' }, { by: 'test', at: new Date() }),
  )
  await setPrice(db, 'residential', 3_500_000n)
  expect(await states()).toMatchObject({ brand: 'done', prices: 'done', exits: 'todo' })
  const { findings } =
    (await owner.call('setup', {})).find(({ step }) => step === 'exits') ?? expect.fail('none')
  expect(findings[0]).toMatchObject({
    level: 'trouble',
    sentence: expect.stringContaining('Residential') as string,
  })
  await seedDemoExits(db)
  await office.stepUp(owner)
  const mail = { SMTP_URL: 'smtp://localhost', MAIL_FROM: 'shop@example.net' }
  await owner.call('change_variables', { group: 'mail', values: mail, reason: 'the shop opens' })
  await expect.poll(states).toMatchObject({ exits: 'done', mail: 'done' })
  const todo = Object.values(await states()).filter((state) => state === 'todo')
  expect(await left()).toBe(todo.length)
  expect(todo.length).toBeLessThan(before)
})

it('is for those who may read the settings', async () => {
  const support = await office.staff('support')
  expect((await refusalOf(support.call('setup', {}))).status).toBe(403)
})
