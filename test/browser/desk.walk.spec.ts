/**
 * A day at the desk, on the real stack: each step is a task of a member of staff, done through the desk's
 * pages. `npm test` walks in English at the width of a desktop, `npm run test:long` also in Russian and on a
 * phone.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { createClient } from '#contract/client'
import { startOrigin } from '#test/origin'
import { freePort } from '#test/ports'
import { lineOf } from '#test/stack'
import { startUpstream } from '../../src/gateway/testing/proxy.ts'
import { sized } from '../size.ts'
import { type Tunnel, tunnel } from '../whole/tunnel.ts'
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
  words,
} from './shop.ts'
import { join, joinAt, totpCode } from './staff.ts'

type Language = 'ru' | 'en'
type Width = 'desktop' | 'phone'

const widths = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
const locales = { ru: 'ru-RU', en: 'en-US' }
const walks: readonly (readonly [Language, Width])[] = [
  ['en', 'desktop'],
  ['ru', 'phone'],
  ['ru', 'desktop'],
  ['en', 'phone'],
]

/** The picture of a banner of the demo. */
const picture = path.resolve(import.meta.dirname, '../../src/content/demo/friends.png')

/** The texts that the steps name, in the language of the walk. */
function textsIn(language: Language) {
  const of = (namespace: string) => {
    const known = words(language, namespace)
    return (key: string, values: Record<string, string> = {}) =>
      (known[key] ?? `no text ${namespace}:${key}`).replaceAll(
        /\{\{(\w+)\}\}/g,
        (_, name: string) => values[name] ?? '',
      )
  }
  return {
    desk: of('desk'),
    pages: of('deskPages'),
    customer: of('deskCustomer'),
    exits: of('deskExits'),
    refusalNames: of('gatewayRefusals'),
    shop: of('deskShop'),
    traffic: of('deskTraffic'),
    header: of('header'),
  }
}

interface Walk {
  page: Page
  language: Language
  width: Width
  t: ReturnType<typeof textsIn>
  dialog: Locator
}

const exitName = 'walk-seller'
const gb = (language: Language, text: string) => (language === 'ru' ? text.replace('.', ',') : text)

for (const [language, width] of walks.slice(0, sized(1, walks.length)))
  test.describe(`${language}, ${width}`, () => {
    test.use({
      locale: locales[language],
      viewport: widths[width],
      permissions: ['clipboard-read', 'clipboard-write'],
    })

    test('a day at the desk', async ({ page, browser }) => {
      test.setTimeout(360_000)
      const t = textsIn(language)
      const walk: Walk = { page, language, width, t, dialog: page.getByRole('dialog') }
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
      await test.step('finds a customer by the proxy login', () => findCustomer(walk, line.login, customer))
      await test.step('reads why the last request failed', () => readRefusal(walk))
      await test.step('gives 1 GB', () => giveTraffic(walk))
      await test.step('finds it in the ledger, the timeline and the audit', () => followGift(walk))
      await test.step('blocks, and the open tunnel ends', async () => {
        const live = await open(target.echoPort)
        await live.echo('hello')
        await block(walk, live)
      })
      await test.step('refunds half an invoice', () => refundHalf(walk))
      await test.step('adds a seller, and traffic goes through it', () =>
        addSeller(walk, upstream.port, async () => {
          const through = await open(target.echoPort)
          await through.echo('x'.repeat(100_000))
          through.end()
          expect(upstream.seen.at(-1)?.port).toBe(target.echoPort)
        }))
      await test.step('changes a price', () => changePrice(walk))
      await test.step('makes 50 promo codes', () => makeCodes(walk))
      await test.step('publishes a banner', () => publishBanner(walk))
      await test.step('answers a complaint', () =>
        answerComplaint(walk, `${target.host}:${target.echoPort}`, customer))
      await test.step('adds a helper, who may not do everything', async () => {
        const context = await browser.newContext({ locale: locales[language], viewport: widths[width] })
        try {
          await addHelper(walk, await context.newPage(), customer)
        } finally {
          await context.close()
        }
      })
      await upstream.close()
      await target.close()
      // Other tests use the same shop.
      const exits = JSON.parse(await turnpike('exits', 'list', '--json')) as { id: number; name: string }[]
      await turnpike('exits', 'remove', String(exits.find(({ name }) => name === exitName)?.id), '--yes')
      await turnpike('prices', 'set', 'mobile', '7.9')
    })
  })

/** Opens the search by its key, or by its button on a phone, which has no keys. */
async function openSearch({ page, width, t }: Walk): Promise<void> {
  if (width === 'desktop') await page.keyboard.press('/')
  else await page.getByRole('button', { name: t.desk('palette.open') }).click()
}

/** Chooses one of the lists of a page. */
const choose = ({ page }: Walk, name: string) => page.getByRole('radio', { name, exact: true }).check()

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

async function findCustomer(walk: Walk, login: string, { username }: { username: string }): Promise<void> {
  const { page } = walk
  await openSearch(walk)
  await page.getByRole('combobox').fill(login)
  await expect(page.getByRole('option', { name: username })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: username })).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.setViewportSize(widths[walk.width])
}

async function readRefusal(walk: Walk): Promise<void> {
  const { page, t } = walk
  const reason = page.getByRole('cell', { name: t.refusalNames('names.connection_refused') }).first()
  await expect(async () => {
    await page.reload()
    await choose(walk, t.customer('lists.refusals'))
    await expect(reason).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expectAccessible(page)
}

async function giveTraffic({ page, language, t, dialog }: Walk): Promise<void> {
  await page.getByRole('button', { name: t.pages('act.give'), exact: true }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByLabel(t.pages('act.amountGb')).focus()
  await page.keyboard.type('1')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(t.desk('reason.missing'))).toBeVisible()
  await dialog.getByLabel(t.desk('reason.label')).fill('the exit was down last night')
  await expectAccessible(page)
  await dialog
    .getByRole('button', { name: gb(language, t.pages('act.giveSubmit', { amount: '1.00' })) })
    .click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('row', { name: t.header('pools.residential') }).first()).toContainText(
    gb(language, '3.00'),
  )
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

async function block(walk: Walk, live: Tunnel): Promise<void> {
  const { page, t, dialog } = walk
  await choose(walk, t.customer('lists.live'))
  await expect(page.getByRole('cell', { name: t.header('pools.residential') }).first()).toBeVisible()
  await page.getByRole('button', { name: t.pages('act.block'), exact: true }).click()
  await dialog.getByRole('textbox', { name: t.desk('reason.label'), exact: true }).fill('attacks a bank')
  await dialog.getByRole('button', { name: t.pages('act.block'), exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText(t.pages('customerState.blocked'), { exact: true }).first()).toBeVisible()
  await expect.poll(() => live.closed()).toBe(true)
  await page.getByRole('button', { name: t.pages('act.unblock') }).click()
  await dialog.getByRole('button', { name: t.pages('act.unblock') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText(t.pages('customerState.blocked'), { exact: true })).toHaveCount(0)
}

async function refundHalf(walk: Walk): Promise<void> {
  const { page, t, dialog } = walk
  await choose(walk, t.customer('lists.invoices'))
  await page.locator('tbody a.mono').first().click()
  await page.getByRole('button', { name: t.pages('refund.act') }).click()
  await dialog.getByRole('radio', { name: t.pages('refund.kind.amount') }).check()
  await dialog.getByRole('button', { name: t.pages('refund.half') }).click()
  await dialog.getByLabel(t.desk('reason.label')).fill('half of it did not work')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: t.pages('refund.act') }).click()
  await expect(dialog.getByRole('heading', { name: t.pages('refund.done') })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText(t.pages('invoiceState.partly_refunded'), { exact: true }).first()).toBeVisible()
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

async function changePrice(walk: Walk): Promise<void> {
  const { page, language, t, dialog } = walk
  await page.goto(`${deskOrigin()}/prices`)
  await page.getByRole('button', { name: t.pages('prices.change') }).click()
  await page.getByLabel(t.header('pools.mobile'), { exact: true }).fill('9.99')
  const preview = page.getByRole('region', { name: t.pages('prices.preview') })
  await expect(preview.getByRole('row', { name: t.header('pools.mobile') }).first()).toContainText(
    gb(language, '9.99'),
  )
  await expectAccessible(page)
  await page.getByRole('button', { name: t.pages('prices.save') }).click()
  await dialog.getByLabel(t.desk('reason.label')).fill('the seller asks more')
  await dialog.getByRole('button', { name: t.pages('prices.save') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('row', { name: t.header('pools.mobile') }).first()).toContainText(
    gb(language, '9.99'),
  )
  const history = page.getByRole('region', { name: t.pages('prices.history') })
  await expect(history.getByRole('cell', { name: gb(language, '9.99') }).first()).toBeVisible()
}

async function makeCodes(walk: Walk): Promise<void> {
  const { page, t, dialog } = walk
  await page.goto(`${deskOrigin()}/promo-codes`)
  await page.getByRole('button', { name: t.pages('promo.create') }).click()
  await dialog.getByRole('radio', { name: t.pages('promo.batch') }).check()
  await dialog.getByLabel(t.pages('promo.prefix')).fill('WALK-')
  await dialog.getByLabel(t.pages('promo.count'), { exact: true }).fill('50')
  await dialog.getByLabel(t.pages('promo.percent')).fill('15')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: t.pages('promo.makeBatch') }).click()
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: t.desk('table.csv') }).click()
  const rows = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(rows).toHaveLength(51)
  expect(new Set(rows.slice(1).map((code) => code.slice(0, 5)))).toEqual(new Set(['WALK-']))
}

async function publishBanner(walk: Walk): Promise<void> {
  const { page, t, dialog } = walk
  await page.goto(`${deskOrigin()}/shop?tab=banners`)
  await page.getByRole('button', { name: t.shop('banners.add') }).click()
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
  // The button is there for the keyboard too.
  await chooser.focus()
  const opened = page.waitForEvent('filechooser', { timeout: 20_000 })
  await page.keyboard.press('Enter')
  await (await opened).setFiles(picture)
  await expect(dialog.getByText('friends.png')).toBeVisible()
  await expect(dialog.getByText(t.shop('banners.wrongType'))).toHaveCount(0)
  const alt = (language: Language) =>
    dialog.getByRole('group', { name: t.shop(`shop.in.${language}`) }).getByLabel(t.shop('banners.alt'))
  const other = walk.language === 'en' ? 'ru' : 'en'
  await alt(walk.language).fill('Night rates')
  await alt(other).fill('Another language')
  await dialog.getByLabel(t.shop('banners.link')).fill('/purchase')
  const preview = dialog.getByRole('region', { name: t.shop('shop.preview') })
  await expect(preview.getByRole('img', { name: 'Night rates' })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: t.shop('banners.publish') }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('img', { name: 'Night rates' })).toBeVisible()
  await expectAccessibleEverywhere(page)
  await page.setViewportSize(widths[walk.width])
  await page.getByRole('button', { name: t.shop('banners.editNamed', { name: 'Night rates' }) }).click()
  await expect(dialog.getByText(t.shop('banners.keeps'))).toBeVisible()
  await alt(other).fill('one\u202etwo')
  await dialog.getByRole('button', { name: t.shop('banners.save') }).click()
  await expect(alt(other)).toHaveAttribute('aria-invalid', 'true')
  await expect(alt(other)).toBeFocused()
  await expectAccessible(page)
  await alt(other).fill('In the other language')
  await dialog.getByRole('button', { name: t.shop('banners.save') }).click()
  await expect(dialog).toHaveCount(0)

  // The blocked customer opens the shop: their session has ended, so the shop redirects to /login.
  const visitor = await page.context().browser()?.newContext({ locale: locales[walk.language] })
  if (visitor === undefined) throw new Error('no browser')
  const shop = await visitor.newPage()
  await shop.goto(`${origin()}${walk.language === 'en' ? '/en' : ''}/shares`)
  await expect(shop.getByRole('img', { name: 'Night rates' })).toBeVisible()
  await shop.goto(`${origin()}${other === 'en' ? '/en' : ''}/shares`)
  await expect(shop.getByRole('img', { name: 'In the other language' })).toBeVisible()
  await visitor.close()
  await page.getByRole('button', { name: t.shop('shop.removeNamed', { name: 'Night rates' }) }).click()
  await dialog.getByRole('button', { name: t.shop('shop.remove') }).click()
  await expect(page.getByRole('img', { name: 'Night rates' })).toHaveCount(0)
}

async function answerComplaint(
  walk: Walk,
  target: string,
  { username }: { username: string },
): Promise<void> {
  const { page, t, dialog } = walk
  await page.goto(`${deskOrigin()}/connections`)
  await page.getByLabel(t.traffic('connections.target')).fill(target)
  const now = new Date()
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  await page.getByLabel(t.traffic('connections.time')).fill(local)
  await page.getByLabel(t.traffic('connections.why')).fill('complaint 17 of a bank')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row').filter({ hasText: username }).first()
  await expect(row).toBeVisible()
  await expectAccessible(page)
  await row.getByRole('button', { name: t.traffic('connections.answer') }).click()
  await dialog.getByRole('button', { name: t.traffic('connections.compose') }).click()
  await expect(dialog.getByLabel(t.traffic('connections.text'))).toHaveValue(new RegExp(target))
  await dialog.getByRole('button', { name: t.traffic('connections.copy') }).click()
  await expect(dialog.getByText(t.traffic('connections.copied'))).toHaveCount(1)
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain(target)
  expect(copied).not.toContain(username)
}

async function addHelper(walk: Walk, helper: Page, { username }: { username: string }): Promise<void> {
  const { page, language, width, t, dialog } = walk
  await page.goto(`${deskOrigin()}/staff`)
  await page.getByRole('button', { name: t.pages('staff.invite') }).click()
  await dialog.getByLabel(t.desk('signIn.name')).fill(`helper-${language}-${width}`)
  await dialog.getByLabel(t.pages('staff.role')).selectOption({ label: t.desk('role.support') })
  await dialog.getByRole('button', { name: t.pages('staff.makeLink') }).click()
  const link = await dialog.locator('code').innerText()

  await helper.addInitScript((lang) => localStorage.setItem('lang', lang), language)
  await joinAt(helper, link, { password: 'the password of a helper', language })
  await helper.getByRole('button', { name: t.desk('recovery.done') }).click()
  await helper.goto(`${deskOrigin()}/customers?text=${username}`)
  await helper.getByRole('link', { name: username }).click()
  await expect(helper.getByRole('button', { name: t.pages('act.give'), exact: true })).toBeVisible()
  await expect(helper.getByRole('button', { name: t.customer('acts.resetAccess') })).toHaveCount(0)
  // Support sees which exits work, and changes none of them.
  await helper.goto(`${deskOrigin()}/exits`)
  await expect(helper.getByRole('link', { name: exitName })).toBeVisible()
  await expect(helper.getByRole('button', { name: t.exits('exit.add') })).toHaveCount(0)
  for (const address of ['/staff', '/audit', '/prices', '/settings', '/reports']) {
    await helper.goto(deskOrigin() + address)
    await expect(helper.getByRole('heading', { name: t.desk('forbidden.title') })).toBeVisible()
  }
}
