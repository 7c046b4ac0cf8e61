/** A member of staff at the desk in a browser: the language, the width, the texts, and the ways between pages. */
import { expect as usual, type Locator, type Page } from '@playwright/test'
import { filled, words } from '../shop.ts'

/** With the patience of the browser tests, also outside of them. */
export const expect = usual.configure({ timeout: 20_000 })

export type Language = 'ru' | 'en'
export type Width = 'desktop' | 'phone'

export const widths = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
export const locales = { ru: 'ru-RU', en: 'en-US' }
export const walks: readonly (readonly [Language, Width])[] = [
  ['en', 'desktop'],
  ['ru', 'phone'],
  ['ru', 'desktop'],
  ['en', 'phone'],
]

/** The texts that the steps name, in the language of the walk. */
function textsIn(language: Language) {
  const of = (namespace: string) => {
    const known = words(language, namespace)
    return (key: string, values: Record<string, string> = {}) =>
      filled(known[key] ?? `no text ${namespace}:${key}`, values)
  }
  return {
    desk: of('desk'),
    pages: of('deskPages'),
    customer: of('deskCustomer'),
    exits: of('deskExits'),
    money: of('deskMoney'),
    payouts: of('deskPayouts'),
    refusalNames: of('gatewayRefusals'),
    shop: of('deskShop'),
    traffic: of('deskTraffic'),
    header: of('header'),
  }
}

export interface Walk {
  page: Page
  language: Language
  width: Width
  t: ReturnType<typeof textsIn>
  dialog: Locator
  /**
   * Called where a job is decided and where it is done: tests check the page with axe, and
   * test/shots/jobs.ts takes a picture.
   */
  look: (what: string) => Promise<void>
}

export const walkOn = (
  page: Page,
  { language, width, look }: Pick<Walk, 'language' | 'width' | 'look'>,
): Walk => ({ page, language, width, look, t: textsIn(language), dialog: page.getByRole('dialog') })

export const gb = (language: Language, text: string) => (language === 'ru' ? text.replace('.', ',') : text)

/** Opens the search by its key, or by its button on a phone, which has no keys. */
export async function openSearch({ page, width, t }: Walk): Promise<void> {
  if (width === 'desktop') await page.keyboard.press('/')
  else await page.getByRole('button', { name: t.desk('palette.open') }).click()
}

/** Chooses one of the lists of a page. */
export const choose = ({ page }: Walk, name: string) => page.getByRole('radio', { name, exact: true }).check()

/** Opens a page from the navigation, which is behind a button on a phone. */
export async function openPage({ page, width, t }: Walk, name: string): Promise<void> {
  if (width === 'phone') await page.getByRole('button', { name: t.desk('menu') }).click()
  await page
    .getByRole('navigation', { name: t.desk('navigation') })
    .getByRole('link', { name: t.desk(`page.${name}`), exact: true })
    .click()
}

/** On a phone no column of a list is cut off. */
export async function expectWhole({ page, width }: Walk): Promise<void> {
  if (width === 'desktop') return
  const hidden = () =>
    page
      .locator('main table')
      .first()
      .evaluate(({ scrollWidth, parentElement }) => scrollWidth - (parentElement?.clientWidth ?? 0))
  await expect.poll(hidden).toBeLessThanOrEqual(0)
}

/** Saves the file that an act downloads; returns its path. */
export async function downloaded({ page }: Walk, act: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  return download.path()
}

/** Works in a window of another person, who is not signed in. */
export async function inOwnWindow(
  { page, language, width }: Walk,
  work: (own: Page) => Promise<void>,
): Promise<void> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('no browser')
  const context = await browser.newContext({ locale: locales[language], viewport: widths[width] })
  try {
    const own = await context.newPage()
    await own.addInitScript((lang) => localStorage.setItem('lang', lang), language)
    await work(own)
  } finally {
    await context.close()
  }
}
