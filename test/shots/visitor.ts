/** Pages of visitors, and the page that checks a bill. */
import { fileNameOf, localPath, privatePaths, publicPaths } from '#contract/pages'
import { refusals } from '#contract/refusals'
import { billOf } from '#test/bill'
import type { Language, Shot, Stage } from './shot.ts'

/** Pages that redirect visitors: they are for customers, or require the link of a letter. */
const notForVisitors: readonly string[] = [
  '/account',
  '/purchase',
  '/profile',
  '/promocode',
  '/confirm_email',
]

/** Chooses a file on the page of the bill. */
async function check({ page, text }: Stage, bill: string): Promise<void> {
  await page
    .getByLabel(text('bill:choose'), { exact: true })
    .and(page.locator('input'))
    .setInputFiles({ name: 'bill.csv', mimeType: 'text/csv', buffer: Buffer.from(bill) })
}

/** Sends an empty form, to show the errors of its fields. */
const submit = ({ page }: Stage) => page.getByRole('main').locator('button[type=submit]').click()

export const visitorShots = (language: Language): Shot[] => [
  ...publicPaths.map((page) => ({ name: fileNameOf(page), path: localPath(page, language) })),
  ...privatePaths
    .filter((page) => !notForVisitors.includes(page))
    .map((page) => ({ name: page.slice(1), path: page })),
  { name: 'no-page', path: '/no-such-page' },
  { name: 'login-wrong', path: '/login', act: submit },
  { name: 'register-wrong', path: '/register', act: submit },
  {
    name: 'forgot_password-sent',
    path: '/forgot_password',
    act: async (stage) => {
      await stage.page.getByRole('main').locator('input').first().fill('anna@example.com')
      await submit(stage)
      await stage.page.getByRole('status').filter({ hasText: /./ }).first().waitFor()
    },
  },
  {
    name: 'login-refused',
    path: '/login',
    act: async (stage) => {
      const { page, text, language } = stage
      await page.getByLabel(text('auth:login.name')).fill('anna')
      await page.getByLabel(text('auth:login.password'), { exact: true }).fill('not the password')
      await submit(stage)
      await page.getByText(refusals.invalid_credentials[language]).first().waitFor()
    },
  },
  {
    name: 'verify-bill-good',
    path: '/verify-bill',
    act: async (stage) => {
      await check(stage, billOf())
      await stage.page.getByRole('heading', { name: stage.text('bill:ok') }).waitFor()
    },
  },
  {
    name: 'verify-bill-bad',
    path: '/verify-bill',
    act: async (stage) => {
      await check(stage, billOf().replace(',90,', ',91,'))
      await stage.page.getByRole('heading', { name: stage.text('bill:bad', { line: '3' }) }).waitFor()
    },
  },
]
