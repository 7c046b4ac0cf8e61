/** Gigabytes exchanged between own pools, and a gift that a new account may not make. */
import { languagesFrom } from './screens.ts'
import { buy, expect, expectAccessibleEverywhere, origin, signedIn, test, words } from './shop.ts'

for (const language of languagesFrom('ru'))
  test(`gigabytes are exchanged as shown, and not given away by a new account (${language})`, async ({
    page,
  }) => {
    const say = words(language, 'moves')
    const header = words(language, 'header')
    const { token } = await signedIn(page, language)
    await buy(page, token, { pool: 'residential', amount: 5 })
    await page.goto(`${origin()}/account?tab=moves`)
    const card = page.getByRole('region', { name: say['title'] ?? '' })
    // The account's device is new.
    await expect(card).toContainText((say['held.new_device'] ?? '').split('{{')[0] ?? '')
    await expect(card.getByLabel(say['to'] ?? '', { exact: true })).toHaveCount(0)
    await card.getByRole('radio', { name: say['exchange'] ?? '' }).check()
    await card.getByLabel(say['toPool'] ?? '', { exact: true }).selectOption('mobile')
    await card.getByLabel(say['amount'] ?? '').fill('1000')
    await expect(card).toContainText('→')
    await card.getByRole('button', { name: /1/ }).click()
    await expect(card).toContainText(say['history'] ?? '')
    await expect(card.getByRole('listitem')).toContainText(header['pools.mobile'] ?? '')
    await expectAccessibleEverywhere(page)
  })
