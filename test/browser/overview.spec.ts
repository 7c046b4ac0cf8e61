/**
 * The overview of a new, a busy and an empty customer, and what needs their attention, in both languages on
 * phone and desktop.
 */
import type { Page } from '@playwright/test'
import { openDatabase } from '#db'
import { lease, settle } from '#traffic'
import { line, newBoot } from '#test/traffic'
import { languagesFrom } from './screens.ts'
import { buy, expect, expectAccessibleEverywhere, origin, signedIn, test, words } from './shop.ts'

for (const language of languagesFrom('en')) {
  const texts = { ...words(language, 'requests'), ...words(language, 'userBtns') }
  const text = (key: string) => texts[key] ?? `no text ${key}`
  const attention = (page: Page) => page.getByRole('region', { name: text('overview.attention.title') })

  test(`a new customer is led to the first purchase and can ask for the letter again, ${language}`, async ({
    page,
  }) => {
    await signedIn(page, language)
    await page.goto(`${origin()}/account`)
    const steps = page.getByRole('region', { name: text('overview.next') })
    await expect(steps.getByRole('link', { name: text('firstPurchase') })).toBeVisible()
    // The list of first steps mentions the letter, so the section «needs attention» is hidden.
    await expect(attention(page)).toBeHidden()
    await expectAccessibleEverywhere(page)
    await steps.getByRole('button', { name: text('confirmAgain') }).click()
    await expect(page.getByText(text('confirmSent'))).toBeVisible()
    await expect(steps.getByRole('button', { name: text('confirmAgain') })).toBeHidden()
  })

  test(`a busy customer sees the day and what needs attention, each with an act, ${language}`, async ({
    page,
  }) => {
    const { token, username } = await signedIn(page, language)
    await buy(page, token, { pool: 'residential', amount: 1 })
    await use(username, 10_000_000n)
    await call(page, token, 'set_notices', { below_bytes: 1_000_000_000 })
    await call(page, token, 'create_invoice_web', {
      payment_method: 'sandbox',
      pool: 'mobile',
      amount: 2,
    })
    await page.goto(`${origin()}/account`)
    // The browser remembers that the first line was made.
    await expect(page.getByRole('region', { name: text('overview.last24') })).toContainText(/10[.,]00/)
    const items = attention(page).getByRole('listitem')
    await expect(items.getByRole('link', { name: text('repair.buy') })).toHaveAttribute(
      'href',
      '/purchase?pool=residential',
    )
    await expectAccessibleEverywhere(page)
    await items.getByRole('link', { name: text('overview.attention.pay') }).click()
    await expect(page).toHaveURL(/invoice=/)
  })

  test(`a customer who has used up all traffic sees that, and how to continue, ${language}`, async ({
    page,
  }) => {
    const { token, username } = await signedIn(page, language)
    await buy(page, token, { pool: 'residential', amount: 1 })
    await use(username, 1_000_000_000n)
    await page.goto(`${origin()}/account`)
    await expect(page.getByRole('heading', { name: text('overview.allUsed') })).toBeVisible()
    await expect(page.getByText(text('overview.allUsedText'))).toBeVisible()
    await expectAccessibleEverywhere(page)
    await page
      .getByRole('link', { name: text('repair.buy') })
      .first()
      .click()
    await expect(page).toHaveURL(/\/purchase/)
  })
}

async function call(page: Page, token: string, name: string, data: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await page.request.post(`${origin()}/api/rpc/${name}`, { headers, data })
  expect(answer.ok()).toBe(true)
}

/** Reports this much traffic of a customer's only pool, as a gateway does. */
async function use(username: string, bytes: bigint): Promise<void> {
  const database = await openDatabase({ dataDir: process.env['TEST_DATA_DIR'] ?? '', role: 'guest' })
  const { id: access } = await database.db
    .selectFrom('access')
    .innerJoin('account', 'account.id', 'access.account_id')
    .where('account.username', '=', username)
    .select('access.id')
    .executeTakeFirstOrThrow()
  const boot = newBoot(username)
  for (let left = bytes; left > 0n;) {
    const held = await lease(database.db, boot, { access, want_bytes: left })
    const used = held.granted_bytes < left ? held.granted_bytes : left
    if (used <= 0n) throw new Error('there is not as much traffic')
    const lines = [line(held.lease, access, used, { close: true })]
    await settle(database.db, [boot.report(lines, { at_ms: Date.now() })])
    left -= used
  }
  await database.close()
}
