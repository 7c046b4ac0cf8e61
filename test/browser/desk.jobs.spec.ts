/**
 * The fifteen jobs of an owner at the desk, against a demo shop with its month: in both languages and at both
 * widths, in `npm run test:long` only. `node test/shots/jobs.ts` takes pictures of them.
 */
import { test } from '@playwright/test'
import { type DemoShop, startDemoShop } from '../shots/demo.shop.ts'
import { sized } from '../size.ts'
import { jobs } from './desk.jobs/jobs.ts'
import { prepare } from './desk.jobs/prepare.ts'
import { locales, walkOn, walks, widths } from './desk.jobs/walk.ts'
import { deskOrigin, expectAccessible, expectNoSidewaysScroll } from './shop.ts'

let shop: DemoShop

test.beforeAll(async () => {
  test.setTimeout(300_000)
  shop = await startDemoShop()
})
test.afterAll(() => shop.close())

for (const [language, width] of walks.slice(0, sized(0, walks.length)))
  test.describe(`${language}, ${width}`, () => {
    test.use({
      locale: locales[language],
      viewport: widths[width],
      permissions: ['clipboard-read', 'clipboard-write'],
    })

    test('the jobs of an owner are done, each from the first page', async ({ page }) => {
      test.setTimeout(900_000)
      await page.addInitScript((code) => localStorage.setItem('lang', code), language)
      const look = async () => {
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      }
      const walk = walkOn(page, { language, width, look })
      const on = await prepare(walk, shop.target)
      for (const job of jobs)
        await test.step(job.name, async () => {
          await page.goto(deskOrigin())
          await job.do(walk, on)
          await job.after?.(walk, on)
        })
    })
  })
