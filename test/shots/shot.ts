/** One picture: which page it is of, and what is done there before it is taken. */
import { type Locator, type Page } from '@playwright/test'
import { expectLive, words } from '../browser/shop.ts'

export type Language = 'ru' | 'en'

export const widths = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } }
export type Width = keyof typeof widths

/** A page in a language, with what shots do on it. */
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
  /** Which customer looks; missing: nobody is signed in. */
  who?: Who
  path: string
  /** What is done on the page, or before and instead of opening it. */
  act?: (stage: Stage) => Promise<void>
  /**
   * The dialog that is open: the folder of its code, and its component. `list.test.ts` compares them with the
   * code.
   */
  shows?: string
  /** Only there where it can be seen. */
  width?: Width
  /** It fails requests or the network, which is undone afterwards. */
  breaks?: (stage: Stage) => Promise<() => Promise<void>>
}

export const localeOf = (language: Language): string => (language === 'ru' ? 'ru-RU' : 'en-US')

/** Customers, each with another past. */
export type Who = 'new' | 'buyer' | 'busy' | 'capped' | 'used-up' | 'demo' | 'guarded' | 'partner' | 'top-up'

export function stageOf(page: Page, origin: string, language: Language): Stage {
  const text = (key: string, values: Record<string, string> = {}) => {
    const [namespace = '', name = ''] = key.split(':')
    const found = words(language, namespace)[name]
    if (found === undefined) throw new Error(`no text ${key}`)
    return found.replace(/\{\{(\w+)\}\}/g, (_, value: string) => values[value] ?? '')
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
