/**
 * A day at the desk, on the real stack: each step is a task of a member of staff, done through the desk's
 * pages. `npm test` walks in English at the width of a desktop, `npm run test:long` also in Russian and on a
 * phone.
 */
import { createClient } from '#contract/client'
import { startOrigin } from '#test/origin'
import { freePort } from '#test/ports'
import { lineOf } from '#test/stack'
import { startUpstream } from '../../src/gateway/testing/proxy.ts'
import { sized } from '../size.ts'
import { type Tunnel, tunnel } from '../whole/tunnel.ts'
import {
  answerComplaint,
  block,
  findCustomer,
  giveTraffic,
  help,
  invite,
  readRefusal,
  unblock,
} from './desk.jobs/customers.ts'
import { changePrice, refundHalf } from './desk.jobs/money.ts'
import { altOf, beginBanner, makeCodes, publishBanner as publish, removeBanner } from './desk.jobs/shop.ts'
import { choose, gb, inOwnWindow, locales, type Walk, walkOn, walks, widths } from './desk.jobs/walk.ts'
import { turnpike } from './operator.ts'
import {
  buy,
  deskOrigin,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  origin,
  signedIn,
  test,
} from './shop.ts'
import { join, totpCode } from './staff.ts'

const exitName = 'walk-seller'

for (const [language, width] of walks.slice(0, sized(1, walks.length)))
  test.describe(`${language}, ${width}`, () => {
    test.use({
      locale: locales[language],
      viewport: widths[width],
      permissions: ['clipboard-read', 'clipboard-write'],
    })

    test('a day at the desk', async ({ page }) => {
      test.setTimeout(360_000)
      const walk = walkOn(page, { language, width, look: () => expectAccessible(page) })
      const { t, dialog } = walk
      const target = await startOrigin()
      const upstream = await startUpstream({
        kind: 'http',
        login: (username, password) => username.startsWith('shop') && password === 'secret of the seller',
      })
      await page.addInitScript((lang) => localStorage.setItem('lang', lang), language)
      const customer = await signedIn(page, language)
      await buy(page, customer.token, { pool: 'residential', amount: 2 })
      const token = () => customer.token
      const call = createClient({ baseUrl: origin(), token, language: () => language, timeoutMs: 20_000 })
      const line = await lineOf(call, 'residential')
      const open = (port: number): Promise<Tunnel> =>
        tunnel({
          ...line,
          port: Number(process.env['TEST_PORT_BASE']),
          target: { host: target.host, port },
        })
      const answer = (await open(await freePort())).status
      expect(answer).toContain('502')

      await test.step('joins, signs out, and in again', () => signIn(walk))
      await test.step('finds a customer by the proxy login', async () => {
        await findCustomer(walk, line.login, customer)
        await expectAccessibleEverywhere(page)
        await page.setViewportSize(widths[width])
      })
      await test.step('reads why the last request failed', () => readRefusal(walk))
      await test.step('gives 1 GB', () =>
        giveTraffic(walk, {
          after: '3.00',
          begun: async () => {
            await page.keyboard.press('Enter')
            await expect(dialog.getByText(t.desk('reason.missing'))).toBeVisible()
          },
        }))
      await test.step('finds it in the ledger, the timeline and the audit', () => followGift(walk))
      await test.step('blocks, and the open tunnel ends', async () => {
        const live = await open(target.echoPort)
        await live.echo('hello')
        await choose(walk, t.customer('lists.live'))
        await expect(page.getByRole('cell', { name: t.header('pools.residential') }).first()).toBeVisible()
        await block(walk, live)
        await unblock(walk)
      })
      await test.step('refunds half an invoice', () => refundHalf(walk))
      await test.step('adds a seller, and traffic goes through it', () =>
        addSeller(walk, upstream.port, async () => {
          const through = await open(target.echoPort)
          await through.echo('x'.repeat(100_000))
          through.end()
          expect(upstream.seen.at(-1)?.port).toBe(target.echoPort)
        }))
      await test.step('changes a price', () => changePrice(walk, 'mobile', '9.99'))
      await test.step('makes 50 promo codes', () => makeCodes(walk, `walk ${language} ${width}`))
      await test.step('publishes a banner', () => publishBanner(walk))
      await test.step('answers a complaint', () =>
        answerComplaint(walk, `${target.host}:${target.echoPort}`, customer))
      await page.keyboard.press('Escape')
      await test.step('adds a helper, who may not do everything', async () => {
        const link = await invite(walk, `helper-${language}-${width}`)
        const { username } = customer
        await inOwnWindow(walk, (own) => help({ ...walk, page: own }, { link, username, exit: exitName }))
      })
      await upstream.close()
      await target.close()
      // Other tests use the same shop.
      const exits = JSON.parse(await turnpike('exits', 'list', '--json')) as { id: number; name: string }[]
      await turnpike('exits', 'remove', String(exits.find(({ name }) => name === exitName)?.id), '--yes')
      await turnpike('prices', 'set', 'mobile', '7.9')
    })
  })

async function signIn(walk: Walk): Promise<void> {
  const { page, language, t, width } = walk
  const owner = await join(page, `walker-${language}-${width}`, 'owner', language)
  await expectAccessible(page)
  await page.getByRole('button', { name: t.desk('recovery.done') }).click()
  await expect(page.getByRole('heading', { level: 1, name: t.pages('today.title') })).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.setViewportSize(widths[width])
  if (width === 'phone') await page.getByRole('button', { name: t.desk('menu') }).click()
  await page.getByRole('button', { name: t.desk('signOut') }).click()

  // The form is filled by keyboard alone: the name has the focus, Tab moves on, Enter sends.
  await expect(page.getByLabel(t.desk('signIn.name'))).toBeFocused()
  await page.keyboard.type(owner.name)
  await page.keyboard.press('Tab')
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel(t.desk('signIn.password'), { exact: true }).fill(owner.password)
  await page.keyboard.press('Enter')
  await expect(page.getByLabel(t.desk('factor.totp'))).toBeFocused()
  await page.keyboard.type(await totpCode(owner.secret))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: t.pages('today.title') })).toBeVisible()
}

async function followGift(walk: Walk): Promise<void> {
  const { page, language, t } = walk
  await choose(walk, t.customer('lists.ledger'))
  await expect(page).toHaveURL(/tab=ledger/)
  await expect(page.getByRole('cell', { name: gb(language, '+1.00') })).toBeVisible()
  await expect(page.getByRole('cell', { name: gb(language, '+2.00') })).toBeVisible()
  await expectAccessible(page)
  await choose(walk, t.customer('lists.timeline'))
  await expect(page.getByText(/the exit was down last night/)).toBeVisible()
  const address = page.url()
  await page.goto(`${deskOrigin()}/audit?action=give_traffic`)
  const entry = page.getByRole('row').filter({ hasText: 'the exit was down last night' }).first()
  await expect(entry).toContainText(`walker-${language}-${walk.width}`)
  await expectAccessible(page)
  await page.goto(address)
}

async function addSeller(walk: Walk, port: number, use: () => Promise<void>): Promise<void> {
  const { page, t, dialog } = walk
  await page.goto(`${deskOrigin()}/exits`)
  await page.getByRole('button', { name: t.exits('exit.add') }).click()
  await expect(dialog.getByRole('heading', { name: t.exits('exit.addTitle') })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByLabel(t.exits('exit.seller'), { exact: true }).selectOption({ label: 'Webshare' })
  await dialog.getByLabel(t.exits('exit.name')).fill(exitName)
  await dialog.getByLabel(t.exits('exit.host'), { exact: true }).fill('127.0.0.1')
  await dialog.getByLabel(t.exits('exit.port'), { exact: true }).fill(String(port))
  await dialog.getByLabel(t.exits('exit.username')).fill('shop')
  await dialog.getByLabel(t.exits('exit.password'), { exact: true }).fill('wrong')
  await dialog.getByLabel(t.exits('exit.countries')).fill('zz9')
  await dialog.getByRole('button', { name: t.exits('exit.save') }).click()
  await expect(dialog.getByText(t.exits('exit.badCountries'))).toBeVisible()
  await dialog.getByLabel(t.exits('exit.countries')).fill('')
  await dialog.getByRole('button', { name: t.pages('exits.test') }).click()
  await expect(dialog.getByRole('alert').filter({ hasText: '407' })).toBeVisible()
  await dialog.getByLabel(t.exits('exit.password'), { exact: true }).fill('secret of the seller')
  await dialog.getByRole('button', { name: t.pages('exits.test') }).click()
  await expect(dialog.getByText('127.0.0.1', { exact: false }).last()).toBeVisible()
  await dialog.getByLabel(t.pages('exits.weight')).fill('1000')
  await dialog.getByRole('button', { name: t.exits('exit.save') }).click()
  await expect(dialog).toHaveCount(0)
  const row = page.getByRole('row').filter({ hasText: exitName })
  await expect(row).toContainText(t.pages('health.state.unknown'))

  // Gateways use it within seconds.
  await expect(use).toPass()
  await expect(async () => {
    await page.goto(`${deskOrigin()}/traffic?by=exit`)
    await expect(page.getByRole('row').filter({ hasText: exitName })).toContainText('200', {
      timeout: 5000,
    })
  }).toPass()
  await expectAccessible(page)
}

/** The dialog of a banner, its refusals, the picture in the shop, and a change. */
async function publishBanner(walk: Walk): Promise<void> {
  const { page, t, dialog } = walk
  await beginBanner(walk)
  await expect(dialog.getByText(t.shop('banners.noPicture'))).toBeVisible()
  const chooser = dialog.getByLabel(t.shop('banners.picture'))
  await expect(chooser).toHaveAccessibleDescription(new RegExp(t.shop('banners.noFile')))
  await expect(dialog.getByText(t.shop('banners.pictureHint'))).toBeVisible()
  await chooser.setInputFiles({
    name: 'evil.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  })
  await expect(chooser).toHaveAccessibleDescription(new RegExp(t.shop('banners.wrongType')))
  await expectAccessible(page)
  await publish(walk)
  await expectAccessibleEverywhere(page)
  await page.setViewportSize(widths[walk.width])
  await page.getByRole('button', { name: t.shop('banners.editNamed', { name: 'Night rates' }) }).click()
  await expect(dialog.getByText(t.shop('banners.keeps'))).toBeVisible()
  const other = walk.language === 'en' ? 'ru' : 'en'
  const alt = altOf(walk, other)
  await alt.fill('one\u202etwo')
  await dialog.getByRole('button', { name: t.shop('banners.save') }).click()
  await expect(alt).toHaveAttribute('aria-invalid', 'true')
  await expect(alt).toBeFocused()
  await expectAccessible(page)
  await alt.fill('In the other language')
  await dialog.getByRole('button', { name: t.shop('banners.save') }).click()
  await expect(dialog).toHaveCount(0)

  // A visitor of each language opens the shop.
  const names = { [walk.language]: 'Night rates', [other]: 'In the other language' }
  for (const language of ['ru', 'en'] as const)
    await inOwnWindow({ ...walk, language }, async (shop) => {
      await shop.goto(`${origin()}${language === 'en' ? '/en' : ''}/shares`)
      await expect(shop.getByRole('img', { name: names[language] ?? '' })).toBeVisible()
    })
  await removeBanner(walk)
}
