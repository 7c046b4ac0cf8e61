/** The referral page in both languages: what was earned, and banners with their code. */
import { expect, expectAccessibleEverywhere, origin, signedIn, test, words } from './shop.ts'

for (const language of ['ru', 'en'] as const)
  test(`earnings and banners, ${language}`, async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
    const text = words(language, 'userPanel')
    await signedIn(page, language)
    await page.goto(`${origin()}/account?tab=referal`)
    await expect(page.getByRole('heading', { name: text['referral.earnings'] ?? '' })).toBeVisible()
    await expect(page.getByText(text['referral.noEarnings'] ?? '')).toBeVisible()
    await page.getByText('468×60').click()
    const picture = page.locator(`img[src="/banners/468x60-${language}.svg"]`)
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(468)
    await page.getByRole('button', { name: text['referral.copyHtml'] ?? '' }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(
        /^<a href="[^"]+\?ref=\w+"><img src="[^"]+468x60-\w\w\.svg" width="468" height="60" alt="[^"]+"><\/a>$/,
      )
    await expectAccessibleEverywhere(page)
  })
