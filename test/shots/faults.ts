/** The states of loading, of a failed call, and of a lost connection. */
import { tabHref, type Tab } from '#contract/account-tabs'
import type { Shot, Stage } from './shot.ts'

type Answer = 'none' | 'error'

/** Leaves every call unanswered, or answers each with an error; the page's own files still load. */
const without =
  (answer: Answer, calls = '**/api/**') =>
  async ({ page }: Stage): Promise<() => Promise<void>> => {
    await page.route(calls, (route) =>
      answer === 'none' ? undefined : route.fulfill({ status: 503, body: '{}' }),
    )
    return () => page.unrouteAll({ behavior: 'ignoreErrors' })
  }

const kept: readonly Tab[] = [
  'main',
  'panel',
  'statistic',
  'requests',
  'proxyUsers',
  'invoices',
  'changePass',
]

/** Placeholders last until the first answer, for five seconds at most. */
const skeletons = kept.map((tab): Shot => ({
  name: `account-${tab}-skeleton`,
  who: 'buyer',
  path: tabHref(tab),
  breaks: without('none'),
}))

const errors = kept.map((tab): Shot => ({
  name: `account-${tab}-error`,
  who: 'buyer',
  path: tabHref(tab),
  breaks: without('error'),
  // The page retries a call once before it shows the failure.
  act: ({ page }) => page.waitForTimeout(4000),
}))

const toProxies = ({ page }: Stage) => page.getByRole('banner').locator('a[href$="/proxy"]').first().click()

export const faultShots: readonly Shot[] = [
  ...skeletons,
  ...errors,
  {
    name: 'account-offline',
    who: 'buyer',
    path: '/account',
    // The page prefetches the code of tabs when it is idle: this is held back until the connection is lost.
    breaks: async ({ page }) => {
      await page.route('**/assets/whitelist-tab*', async (route) => {
        await page.waitForFunction(() => !navigator.onLine, undefined, { timeout: 0 })
        await route.abort('internetdisconnected')
      })
      return async () => {
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await page.context().setOffline(false)
      }
    },
    act: async ({ page, text }) => {
      await page.context().setOffline(true)
      const whitelist = page.getByRole('link', { name: text('userBtns:title.whitelist'), exact: true })
      await whitelist.first().click()
      await page.getByText(text('header:unreachable')).first().waitFor()
    },
  },
  {
    // The list is loaded; the stream of live requests is not connected.
    name: 'account-requests-connecting',
    who: 'buyer',
    path: tabHref('requests'),
    breaks: async ({ page }) => {
      await page.route('**/api/rpc/live_requests**', (route) => route.abort())
      return () => page.unrouteAll({ behavior: 'ignoreErrors' })
    },
    act: ({ page, text }) => page.getByText(text('requests:connecting')).first().waitFor(),
  },
  // Opened by its address, the page contains its list; so these visitors come from another page.
  { name: 'proxy-skeleton', path: '/rules', breaks: without('none'), act: toProxies },
  {
    name: 'proxy-error',
    path: '/rules',
    breaks: without('error'),
    act: async (stage) => {
      await toProxies(stage)
      await stage.page.waitForTimeout(4000)
    },
  },
]
