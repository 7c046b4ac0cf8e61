/** One picture: its page, and the steps on the page before it is taken. */
import { type Locator, type Page } from '@playwright/test'
import { expectLive, filled, words } from '../browser/shop.ts'

export type Language = 'ru' | 'en'

export const widths = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } }
export type Width = keyof typeof widths

/** A page in a language, with the helpers of shots. */
export interface Stage {
  page: Page
  language: Language
  origin: string
  dialog: Locator
  /** A text of the interface, as `userPanel:place.countries`. */
  text: (key: string, values?: Record<string, string>) => string
  /** Opens an address of the site. */
  open: (address: string) => Promise<void>
  /** Presses the first button of this name. */
  press: (name: string | RegExp) => Promise<void>
}

export interface Shot {
  /** Begins the name of its files. */
  name: string
  /** The signed-in customer; missing: nobody is signed in. */
  who?: Who
  path: string
  /** The steps on the opened page before the picture is taken. */
  act?: (stage: Stage) => Promise<void>
  /**
   * The dialog that is open: the folder of its code, and its component. `list.test.ts` compares them with the
   * code.
   */
  shows?: string
  /** The only width at which the state can be seen; missing: all widths. */
  width?: Width
  /** Breaks requests or the network before the page is opened; the returned function undoes it. */
  breaks?: (stage: Stage) => Promise<() => Promise<void>>
}

export const localeOf = (language: Language): string => (language === 'ru' ? 'ru-RU' : 'en-US')

/** The kinds of customers, each with a different history. */
export type Who = 'new' | 'buyer' | 'busy' | 'capped' | 'used-up' | 'demo' | 'guarded' | 'partner' | 'top-up'

export function stageOf(page: Page, origin: string, language: Language): Stage {
  const text = (key: string, values: Record<string, string> = {}) => {
    const [namespace = '', name = ''] = key.split(':')
    const found = words(language, namespace)[name]
    if (found === undefined) throw new Error(`no text ${key}`)
    return filled(found, values)
  }
  return {
    page,
    language,
    origin,
    dialog: page.getByRole('dialog'),
    text,
    open: async (address) => {
      await page.goto(new URL(address, origin).href)
      await expectLive(page)
      await quiet(page)
    },
    press: (name) => page.getByRole('button', { name, exact: true }).first().click(),
  }
}

/**
 * Waits until no request is pending; pages with live data keep one connection open, so they never reach that.
 */
export const quiet = (page: Page): Promise<void> =>
  page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => undefined)
