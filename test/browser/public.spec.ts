/**
 * The public pages: rendered by the server in both languages, readable without scripts, hydrated without
 * errors.
 */
import { legalPaths } from '#contract/legal/pages'
import { isLong } from '../size.ts'
import { turnpike } from './operator.ts'
import {
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  origin,
  signedIn,
  test,
  words,
} from './shop.ts'

const legal = Object.values(legalPaths)
const pages = ['/', '/proxy', '/shares', '/reviews', '/rules', '/docs', '/status', ...legal] as const
const languages = ['ru', 'en'] as const
const text = (of: Record<string, string>, key: string) => of[key] ?? `no text ${key}`
type Language = (typeof languages)[number]

const addressOf = (page: string, language: Language) =>
  origin() + (language === 'ru' ? page : page === '/' ? '/en' : `/en${page}`)
const widths = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]

/** `npm test` judges each page in one of the languages, half of the pages in each. */
const isJudged = (page: (typeof pages)[number], language: Language) =>
  isLong || languages[pages.indexOf(page) % languages.length] === language

for (const language of languages)
  test(`the public pages are hydrated as they were rendered, and accessible in both themes at both widths (${language})`, async ({
    page: tab,
  }) => {
    test.setTimeout(240_000)
    for (const page of pages)
      await test.step(page, async () => {
        // Any mismatch is an error in the console, which fails the test.
        await tab.goto(addressOf(page, language))
        await tab.waitForLoadState('networkidle')
        await expect(tab.locator('html')).toHaveAttribute('lang', language)
        await expect(tab.getByRole('heading', { level: 1 })).toHaveCount(1)
        await expect(tab.locator('title')).toHaveCount(1)
        await expect(tab.locator('meta[name=description]')).toHaveCount(1)
        if (isJudged(page, language)) await expectAccessibleEverywhere(tab, { isPage: true })
      })
  })

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })
  for (const language of languages) {
    test(`the pages can be read and their links followed (${language})`, async ({ page: tab }) => {
      const header = words(language, 'header')
      await tab.goto(addressOf('/', language))
      await expect(tab.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(tab.getByText(/3[.,]50/).first()).toBeVisible()
      const menu = tab.getByRole('navigation').first()
      await menu.getByRole('link', { name: text(header, 'proxy') }).click()
      await expect(tab).toHaveURL(addressOf('/proxy', language))
      await expect(tab.getByText(language === 'ru' ? 'Германия' : 'Germany').first()).toBeVisible()
      await menu.getByRole('link', { name: text(header, 'rules') }).click()
      await expect(tab.getByRole('main').getByRole('listitem')).toHaveCount(5)
      await tab
        .getByRole('link', { name: language === 'ru' ? 'EN, English' : 'RU, русский' })
        .first()
        .click()
      await expect(tab).toHaveURL(addressOf('/rules', language === 'ru' ? 'en' : 'ru'))
    })
  }
})

test('a page names its alternates, its preview image and its canonical address', async ({ request }) => {
  const html = await (await request.get(`${origin()}/en/rules`)).text()
  expect(html).toContain('<html lang="en">')
  expect(html).toContain(`<link rel="canonical" href="${origin()}/en/rules"`)
  for (const [tag, address] of [
    ['ru', '/rules'],
    ['en', '/en/rules'],
    ['x-default', '/rules'],
  ])
    expect(html).toContain(`<link rel="alternate" href="${origin()}${address}" hreflang="${tag}"`)
  const picture = /property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? ''
  const answer = await request.get(picture)
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'image/png'])
  expect(html).not.toContain('public-url.invalid')
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/)
  expect(html).not.toContain(' style=')
})

test('search engines get a sitemap of the public pages, and are excluded from the others', async ({
  request,
}) => {
  const sitemap = await (await request.get(`${origin()}/sitemap.xml`)).text()
  const named = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address)
  const wanted = pages.flatMap((page) => languages.map((language) => addressOf(page, language)))
  expect(named).toHaveLength(wanted.length)
  expect(new Set(named)).toEqual(new Set(wanted))
  for (const address of named) expect((await request.get(address ?? '')).status()).toBe(200)
  expect(await (await request.get(`${origin()}/robots.txt`)).text()).toContain(
    `Sitemap: ${origin()}/sitemap.xml`,
  )
  for (const page of ['/account', '/login', '/promocode', '/confirm_email'])
    expect((await request.get(origin() + page)).headers()['x-robots-tag']).toBe('noindex')
  const missing = await request.get(`${origin()}/nowhere`, { headers: { accept: 'text/html' } })
  expect(missing.status()).toBe(404)
})

test('the language switch links to the alternate page, is stored, and determines the language of private pages', async ({
  page,
}) => {
  await page.goto(`${origin()}/proxy`)
  await page.getByRole('link', { name: 'EN, English' }).first().click()
  await expect(page).toHaveURL(`${origin()}/en/proxy`)
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    text(words('en', 'proxyOnline'), 'heading'),
  )
  await page.goto(`${origin()}/login`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(text(words('en', 'auth'), 'login.heading'))
  // A visitor who has chosen English reads every page in it.
  await page.goto(`${origin()}/rules`)
  await expect(page).toHaveURL(`${origin()}/en/rules`)
})

test('the language of a signed-in user is sent to the server', async ({ page }) => {
  const { token } = await signedIn(page)
  await page.goto(origin())
  await page.getByRole('link', { name: 'EN, English' }).first().click()
  await expect(page).toHaveURL(`${origin()}/en`)
  const stored = () =>
    page.evaluate(() => (JSON.parse(localStorage.getItem('user') ?? '{}') as { lang?: string }).lang)
  await expect.poll(stored).toBe('eng')
  const profile = await page.request.get(`${origin()}/api/legacy_profile`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(((await profile.json()) as { lang: string }[])[0]?.lang).toBe('eng')
})

test.describe('the header', () => {
  test('links to the five pages, on a phone from the burger menu', async ({ page }) => {
    const header = words('ru', 'header')
    for (const viewport of widths) {
      await page.setViewportSize(viewport)
      for (const [name, address] of [
        ['proxy', '/proxy'],
        ['shares', '/shares'],
        ['reviews', '/reviews'],
        ['rules', '/rules'],
        ['about', '/'],
      ]) {
        if (viewport.width === 390) await page.goto(`${origin()}/rules`)
        else if (page.url() === 'about:blank') await page.goto(origin())
        if (viewport.width === 390) {
          await page.getByRole('button', { name: text(header, 'openMenu') }).click()
          await expectAccessible(page)
        }
        await page
          .getByRole('banner')
          .getByRole('link', { name: text(header, name ?? ''), exact: true })
          .click()
        await expect(page).toHaveURL(origin() + (address === '/' ? '/' : address))
        await expect(page.getByRole('button', { name: text(header, 'closeMenu') })).toHaveCount(0)
      }
    }
  })

  test('is absent on the sign-in pages', async ({ page }) => {
    for (const path of ['/login', '/register', '/telegram-login']) {
      await page.goto(origin() + path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByRole('banner')).toHaveCount(0)
    }
    await page.goto(`${origin()}/forgot_password`)
    await expect(page.getByRole('banner')).toBeVisible()
  })
})

test.describe('/proxy', () => {
  test('has a column per pool, the largest country first', async ({ page, request }) => {
    await page.goto(`${origin()}/proxy`)
    const header = words('ru', 'header')
    for (const pool of ['datacenter', 'mobile', 'residential', 'residential_premium']) {
      const answer = await request.get(`${origin()}/api/rpc/get_gateway_proxy_countries?pool=${pool}`)
      const countries = (await answer.json()) as { name: string; count: number }[]
      const column = page.getByRole('region', { name: text(header, `pools.${pool}`), exact: true })
      await expect(column.locator('li')).toHaveCount(countries.length)
      const shown = await column.locator('li').evaluateAll((rows) => rows.map((row) => row.textContent ?? ''))
      const counts = shown.map((row) => Number(/([\d\s]+)$/.exec(row)?.[1]?.replace(/\s/g, '')))
      expect(counts).toEqual(countries.map(({ count }) => count).toSorted((a, b) => b - a))
    }
  })

  test('finds a country by its name in either language and by its code, and has its flag', async ({
    page,
  }) => {
    await page.goto(`${origin()}/proxy`)
    const field = page.getByRole('searchbox')
    const rows = page
      .getByRole('region', { name: text(words('ru', 'header'), 'pools.residential'), exact: true })
      .locator('li')
    for (const typed of ['Германия', 'germany', 'DE']) {
      await field.fill(typed)
      await expect(rows).toHaveCount(1)
      await expect(rows).toContainText('Германия')
    }
    await expect(rows.locator('use')).toHaveAttribute('href', /^\/assets\/flags-[\w-]+\.svg#de$/)
    await field.fill('Атлантида')
    await expect(page.getByText(text(words('ru', 'proxyOnline'), 'nothing'))).toHaveCount(4)
    await expectAccessible(page)
  })

  test('shows a spinner until the list has loaded, and offers a retry when that fails', async ({ page }) => {
    await page.goto(`${origin()}/rules`)
    let answers = false
    const seen = Promise.withResolvers<void>()
    await page.route('**/get_gateway_proxy_countries**', async (route) => {
      await seen.promise
      await (answers ? route.continue() : route.abort())
    })
    await page
      .getByRole('banner')
      .getByRole('link', { name: text(words('ru', 'header'), 'proxy') })
      .click()
    await expect(
      page.getByRole('status').filter({ hasText: text(words('ru', 'proxyOnline'), 'loading') }),
    ).toHaveCount(4)
    seen.resolve()
    await expect(page.getByText(text(words('ru', 'proxyOnline'), 'failed'))).toHaveCount(4)
    await expectAccessible(page)
    answers = true
    await page
      .getByRole('button', { name: text(words('ru', 'proxyOnline'), 'retry') })
      .first()
      .click()
    await expect(page.locator('li').filter({ hasText: 'Германия' })).toHaveCount(1)
  })
})

test('/shares shows the operator’s banners as links that open in a new tab', async ({ page }) => {
  await page.goto(`${origin()}/shares`)
  const pictures = page.getByRole('main').getByRole('link').getByRole('img')
  await expect(pictures).toHaveCount(2)
  const classes = await page
    .getByRole('main')
    .locator('li')
    .evaluateAll((items) => items.map((item) => item.className))
  expect(new Set(classes).size).toBe(2)
  for (const picture of await pictures.all()) {
    await picture.scrollIntoViewIfNeeded()
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(100)
  }
  const [opened] = await Promise.all([page.waitForEvent('popup'), pictures.first().click()])
  expect(opened.url()).toContain(origin())
})

test('/reviews and /rules: other sites open in a new tab, the arrow returns to the previous page', async ({
  page,
}) => {
  await page.goto(`${origin()}/proxy`)
  const header = words('ru', 'header')
  for (const [name, path] of [
    ['reviews', '/reviews'],
    ['rules', '/rules'],
  ] as const) {
    await page
      .getByRole('banner')
      .getByRole('link', { name: text(header, name) })
      .click()
    await expect(page).toHaveURL(origin() + path)
    await page.getByRole('link', { name: text(header, 'back'), exact: true }).click()
    await expect(page).toHaveURL(`${origin()}/proxy`)
  }
  await page.goto(`${origin()}/reviews`)
  const threads = page.getByRole('main').locator('li a')
  await expect(threads).toHaveCount(11)
  for (const thread of await threads.all()) await expect(thread).toHaveAttribute('target', '_blank')
  await page.goto(`${origin()}/rules`)
  const rules = page.getByRole('main').locator('ol > li')
  await expect(rules).toHaveCount(5)
  await expect(rules.nth(2).getByRole('link')).toHaveAttribute('target', '_blank')
  await expect(rules.nth(2).getByRole('link')).toHaveAttribute('href', 'https://sheets.example/prices')
  await expect(rules.nth(4)).toContainText('Демо-браузер')
  // There is no page before the first one.
  await page.getByRole('link', { name: text(header, 'back'), exact: true }).click()
  await expect(page).toHaveURL(`${origin()}/`)
})

test('the operator’s texts and name appear on the pages rendered next', async ({ page, request }) => {
  test.setTimeout(90_000)
  await turnpike('content', 'set', 'brand.name', 'Застава')
  try {
    await expect(async () => {
      expect(await (await request.get(`${origin()}/rules`)).text()).toContain(
        '<title>Правила — Застава</title>',
      )
    }).toPass({ timeout: 30_000 })
    await page.goto(`${origin()}/rules`)
    await page.waitForLoadState('networkidle')
    await expect(page).toHaveTitle('Правила — Застава')
  } finally {
    await turnpike('content', 'reset', 'brand')
  }
})
