/** The pages that the server renders before it knows the visitor: nothing moves, and no error is logged. */
import type { Page } from '@playwright/test'
import { buy, expect, expectLive, origin, signedIn, test, words } from './shop.ts'

const languages = ['ru', 'en'] as const
type Language = (typeof languages)[number]

/** Adds up layout shifts from the first paint on. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const watched = Object.assign(window, { shifted: 0 })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        watched.shifted += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return () => page.evaluate(() => (window as unknown as { shifted: number }).shifted)
}

const speak = (page: Page, language: Language) =>
  page.context().addCookies([{ name: 'lang', value: language, url: origin() }])

for (const language of languages) {
  test(`a visitor gets the form of signing in in their language, hydrated as it was rendered (${language})`, async ({
    page,
  }) => {
    await speak(page, language)
    await page.addInitScript((lang) => localStorage.setItem('lang', lang), language)
    const shifts = await watchShifts(page)
    // Any mismatch is an error in the console, which fails the test.
    await page.goto(`${origin()}/login`)
    await expectLive(page)
    await page.waitForLoadState('networkidle')
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      words(language, 'auth')['login.heading'] ?? '',
    )
    await expect(page.locator('title')).toHaveCount(1)
    expect(await shifts()).toBeLessThanOrEqual(0.02)
  })

  test(`the overview of a customer appears without moving (${language})`, async ({ page }) => {
    await signedIn(page, language)
    const shifts = await watchShifts(page)
    await page.goto(`${origin()}/account`)
    await expect(
      page.getByRole('region', { name: words(language, 'requests')['overview.next'] ?? '' }),
    ).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expect(page.locator('title')).toHaveCount(1)
    expect(await shifts()).toBeLessThanOrEqual(0.02)
  })
}

/** Holds the scripts of pages, but for the one that starts the others, until the function is called. */
async function holdScripts(page: Page): Promise<() => void> {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    if (!route.request().url().includes('/start-')) await released
    await route.continue()
  })
  return resolve
}

test.describe('before the scripts have loaded', () => {
  test.use({ waitsForLive: false })

  test('a customer sees the overview, read in one request, and the page then shows the same', async ({
    page,
  }) => {
    const { username, token } = await signedIn(page)
    await buy(page, token, { pool: 'mobile', amount: 2 })
    const shifts = await watchShifts(page)
    const release = await holdScripts(page)
    const reads: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      // A shop that shows other currencies reads the customer's choice; other tests may have set one up.
      const isOther = pathname.startsWith('/assets/') || pathname === '/api/rpc/display_currency'
      if (!isOther) reads.push(pathname)
    })
    await page.goto(`${origin()}/account`, { waitUntil: 'commit' })
    const [userBtns, requests] = [words('ru', 'userBtns'), words('ru', 'requests')]
    const board = page.getByRole('region', { name: userBtns['balances'] ?? '', exact: true })
    const card = page.getByRole('region', { name: requests['overview.card.title'] ?? '', exact: true })
    await expect(board).toContainText('2,00')
    await expect(page.locator('[data-early]')).toContainText(username)
    await expect(card).toContainText(`${origin()}/api/echo`)
    await expect(page.locator('[data-early]')).toHaveCount(1)
    await expect(page.locator('[data-early] [style]')).toHaveCount(0)
    const early = await card.textContent()
    expect(reads).toEqual(['/account', '/account/reads'])
    release()
    await expectLive(page)
    await expect(page.locator('[data-early], [data-skeleton]')).toHaveCount(0)
    await expect(board).toContainText('2,00')
    expect(await card.textContent()).toBe(early)
    expect(reads).toEqual(['/account', '/account/reads'])
    expect(await shifts()).toBeLessThanOrEqual(0.02)
  })

  test('a customer whose session has ended sees nothing of the account, but a message that it has ended', async ({
    page,
  }) => {
    const { token } = await signedIn(page)
    const headers = { authorization: `Bearer ${token}` }
    await page.request.post(`${origin()}/api/rpc/signout`, { headers, data: {} })
    const release = await holdScripts(page)
    const answered = page.waitForResponse('**/account/reads')
    await page.goto(`${origin()}/account`, { waitUntil: 'commit' })
    expect(await (await answered).json()).toEqual({ answers: [], html: null })
    await expect(page.locator('[data-skeleton]')).toHaveCount(1)
    release()
    await expect(page).toHaveURL(`${origin()}/login`)
    await expect(page.getByText(words('ru', 'auth')['login.ended'] ?? '')).toBeVisible()
  })
})

test('customers who open their accounts at the same time get their own only', async ({ page }) => {
  const people = [await signedIn(page), await signedIn(page), await signedIn(page)]
  const open = async ({ username, token }: (typeof people)[number], language: Language) => {
    const answer = await page.request.post(`${origin()}/account/reads`, {
      headers: { authorization: `Bearer ${token}`, 'accept-language': language },
      data: { search: '' },
    })
    const { html } = (await answer.json()) as { html: string | null }
    const named = people.filter((each) => html?.includes(each.username) === true)
    expect(named.map((each) => each.username)).toEqual([username])
    expect(html).toContain(words(language, 'userBtns')['balances'])
  }
  await Promise.all(people.flatMap((each) => languages.map((language) => open(each, language))))
})

test('signing out of the account is confirmed, and is not reported as an ended session', async ({ page }) => {
  await signedIn(page)
  await page.goto(`${origin()}/account`)
  const header = words('ru', 'header')
  await page.getByRole('button', { name: header['signOut'] ?? '', exact: true }).click()
  await expect(page.getByText(header['signedOut'] ?? '')).toBeVisible()
  await expect(page).toHaveURL(`${origin()}/`)
  await page.goto(`${origin()}/login`)
  await expect(page.getByText(words('ru', 'auth')['login.ended'] ?? '')).toHaveCount(0)
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false, waitsForLive: false })
  for (const language of languages) {
    test(`the form of signing in is readable and says what it needs (${language})`, async ({ page }) => {
      await speak(page, language)
      await page.goto(`${origin()}/login`)
      const texts = words(language, 'auth')
      await expect(page.getByLabel(texts['login.name'] ?? '')).toBeVisible()
      // Playwright turns scripts off after parsing, so the page shows no <noscript>.
      const html = await (await page.request.get(`${origin()}/login`)).text()
      expect(html).toMatch(new RegExp(`<noscript><p[^>]*>${texts['login.withoutScripts']}</p>`))
      await expect(page.locator('form')).toHaveAttribute('method', 'post')
    })
  }
})
