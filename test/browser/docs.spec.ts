/** The API's documentation in a browser; `shop.ts` fails the test on any console error or foreign request. */
import { expect, origin, test } from './shop.ts'

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme })

    test('/docs shows every call with examples in three languages', async ({ page }) => {
      await page.goto(`${origin()}/docs`)
      await expect(page.getByRole('heading', { level: 1 })).toContainText('API')
      const call = page.getByRole('heading', { name: 'Generate proxy lines' })
      await call.scrollIntoViewIfNeeded()
      await expect(call).toBeVisible()
      await expect(page.getByText('$API_TOKEN').first()).toBeVisible()
      await page.getByRole('button', { name: 'curl' }).first().click()
      await page.getByRole('option', { name: 'Python' }).first().click()
      await expect(page.getByText('import requests').first()).toBeVisible()
    })
  })
}
