import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { removePrice, setPrice } from '#catalog'
import { writePart } from '#content'
import { setupStepNames } from '#contract/desk/setup'
import { transaction } from '#db'
import { changeExit, noteExitTest, seedDemoExits, showExits } from '#exits'
import { app, type App, refusalOf } from '#test/app'
import { freePort } from '#test/ports'
import { startSmtp } from '#test/smtp'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0', PUBLIC_URL: `http://localhost:${await freePort()}` } })
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

it('an empty shop has all steps to do, in their order', async () => {
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
    contacts: 'todo',
    seller: 'todo',
    legal: 'todo',
  })
})

it('a step is done when doctor reports nothing about it any more; Today counts those that are left', async () => {
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
  for (const { id } of await showExits(db, shop.services.secrets)) await noteExitTest(db, id, new Date())
  const todo = Object.values(await states()).filter((state) => state === 'todo')
  expect(await left()).toBe(todo.length)
  expect(todo.length).toBeLessThan(before)
})

/** The findings of a step, as the page shows them. */
const findingsOf = async (name: string) =>
  (await owner.call('setup', {})).find(({ step }) => step === name)?.findings ?? expect.fail('no such step')

it('the exits are done once a test has got an answer through one of each pool, and again after a change', async () => {
  const { db } = shop.database
  const { secrets } = shop.services
  const exits = (await showExits(db, secrets)).filter(({ pool }) => pool === 'residential')
  const [exit = expect.fail('no exit')] = exits
  expect(await findingsOf('exits')).toEqual([
    { level: 'ok', sentence: expect.stringContaining('got an answer through demo') as string },
    expect.objectContaining({ level: 'ok' }),
  ])
  await changeExit(db, secrets, exit.id, { weight: 2 })
  expect(await states()).toMatchObject({ exits: 'done' })
  await changeExit(db, secrets, exit.id, { bindAddress: '127.0.0.1' })
  expect(await states()).toMatchObject({ exits: 'todo' })
  expect((await findingsOf('exits'))[0]).toEqual({
    level: 'todo',
    sentence: expect.stringContaining('no test has got an answer') as string,
  })
  await changeExit(db, secrets, exit.id, { bindAddress: null })
  // The shop of this test serves no echo at its address: the test fails, and counts for nothing.
  expect(await owner.call('test_exit', { id: String(exit.id) })).toMatchObject({ worked: false })
  expect(await states()).toMatchObject({ exits: 'todo' })
  const echo = createServer((_request, response) => response.end('{"ip": "127.0.0.1"}'))
  await new Promise<void>((resolve) => echo.listen(Number(shop.services.settings.publicUrl.port), resolve))
  expect(await owner.call('test_exit', { id: String(exit.id) })).toMatchObject({ worked: true })
  echo.close()
  expect(await states()).toMatchObject({ exits: 'done' })
})

it('letters are done once the mail server in use has taken a test letter', async () => {
  const [first, second] = [await startSmtp(), await startSmtp()]
  const setMail = async (port: number) => {
    await office.stepUp(owner)
    const values = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'shop@example.net' }
    await owner.call('change_variables', { group: 'mail', values, reason: 'the shop opens' })
    await expect.poll(async () => (await findingsOf('mail'))[0]?.sentence).toContain(`127.0.0.1:${port}`)
  }
  const send = async () =>
    (await owner.call('test_connection', { group: 'mail', to: 'me@example.net' })).is_good
  await setMail(first.port)
  expect(await states()).toMatchObject({ mail: 'todo' })
  first.refusals.push({ at: 'rcpt', code: 550 })
  expect(await send()).toBe(false)
  expect(await states()).toMatchObject({ mail: 'todo' })
  expect(await send()).toBe(true)
  expect(await states()).toMatchObject({ mail: 'done' })
  await setMail(second.port)
  expect(await states()).toMatchObject({ mail: 'todo' })
  expect(await send()).toBe(true)
  expect(await states()).toMatchObject({ mail: 'done' })
  await Promise.all([first.close(), second.close()])
})

it('the payment method is done while one is offered', async () => {
  await office.stepUp(owner)
  const values = { CRYPTOPAY_TOKEN: '1:of_no_account_at_all_whatever' }
  await owner.call('change_variables', { group: 'cryptobot', values, reason: 'the shop opens' })
  await expect.poll(states).toMatchObject({ payments: 'done' })
  const offer = (value: string) =>
    owner.call('change_setting', { name: 'offer_cryptobot', value, reason: 'the processor is away' })
  await offer('0')
  expect(await states()).toMatchObject({ payments: 'todo' })
  expect(await findingsOf('payments')).toEqual([
    { level: 'trouble', sentence: expect.stringContaining('Connected, but not offered') as string },
  ])
  await offer('1')
  expect(await states()).toMatchObject({ payments: 'done' })
})

it('the page of the set-up is for those who may read the settings', async () => {
  const support = await office.staff('support')
  expect((await refusalOf(support.call('setup', {}))).status).toBe(403)
})
