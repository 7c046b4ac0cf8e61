/** Takes pictures of pages in their states, and checks each with axe. */
import path from 'node:path'
import { expectAccessible } from '../browser/shop.ts'
import type { Page } from '@playwright/test'
import type { ReadmePicture } from './readme.ts'
import { type Language, type Width, widths } from './shot.ts'

type Theme = 'light' | 'dark'

export interface State {
  /** Begins the name of its files. */
  name: string
  /** The only width at which the state can be seen; missing: all widths. */
  width?: Width | undefined
  /** The light theme alone by default. */
  themes?: readonly Theme[]
}

/** Whether axe checks this combination: it checks each width and each theme once. */
const isExamined = (width: string, theme: Theme, { length }: readonly Theme[]) =>
  length === 1 || (width === 'phone') === (theme === 'dark')

/** Pictures of taller pages are cut at this height. */
const tallestPx = 8000

export interface CameraOptions {
  folder: string
  /** Only states with one of these in their name. */
  only: readonly string[]
  /**
   * The files of the only states to take, each taken once, in the window of a desktop; null: all states, at
   * all widths and in all themes.
   */
  single: Readonly<Record<string, ReadmePicture>> | null
}

export class Camera {
  readonly #options: CameraOptions
  taken = 0
  /** States that could not be reached, and the findings of axe. A fault does not stop the other pictures. */
  readonly faults: string[] = []

  constructor(options: CameraOptions) {
    this.#options = options
  }

  isWanted({ name }: Pick<State, 'name'>): boolean {
    const { only, single } = this.#options
    return single === null ? only.some((word) => name.includes(word)) : name in single
  }

  /** Creates a state, and takes a picture at each width and in each theme. */
  async take(page: Page, state: State, language: Language, bring?: () => Promise<void>): Promise<void> {
    if (!this.isWanted(state)) return
    try {
      await page.setViewportSize(widths[state.width ?? 'desktop'])
      await bring?.()
      await this.#takeAll(page, state, language)
    } catch (error) {
      this.faults.push(`not taken: ${state.name}.${language}: ${String(error).split('\n')[0]}`)
    }
  }

  async #takeAll(page: Page, { name, width: only, themes = ['light'] }: State, language: Language) {
    const single = this.#options.single?.[name]
    if (single !== undefined) {
      const { width, height } = widths.desktop
      await page.setViewportSize({ width, height: single.heightPx ?? height })
      return this.#shoot(page, single.file)
    }
    const isThemed = themes.length > 1
    for (const [width, viewport] of Object.entries(widths)) {
      if (only !== undefined && only !== width) continue
      for (const theme of themes) {
        if (isThemed) await page.emulateMedia({ colorScheme: theme })
        const file = `${name}.${language}.${width}${isThemed && theme === 'dark' ? '.dark' : ''}.png`
        await this.#picture(page, file, viewport)
        if (isExamined(width, theme, themes)) await this.#examine(page, file)
      }
    }
    if (isThemed) await page.emulateMedia({ colorScheme: 'light' })
  }

  /**
   * Takes a picture of the whole page: the window is made as tall as the page, so that fixed bars are at its
   * foot and not in the middle. When a dialog is open, takes the window alone.
   */
  async #picture(page: Page, file: string, viewport: { width: number; height: number }): Promise<void> {
    await page.setViewportSize(viewport)
    const fits = () => document.documentElement.scrollWidth <= innerWidth
    // The layout follows a change of the window a moment later.
    await page
      .waitForFunction(fits, undefined, { timeout: 2000 })
      .catch(() => this.faults.push(`wider than the screen: ${file}`))
    if ((await page.getByRole('dialog').count()) === 0) await this.#grow(page, viewport)
    await this.#shoot(page, file)
  }

  async #shoot(page: Page, file: string): Promise<void> {
    await page.screenshot({ path: path.join(this.#options.folder, file), animations: 'disabled' })
    this.taken++
  }

  /**
   * Makes the window as tall as the page. Measures the page twice, since parts have no exact height until
   * they were in view once.
   */
  async #grow(page: Page, viewport: { width: number; height: number }): Promise<void> {
    const measure = () => page.evaluate(() => document.documentElement.scrollHeight)
    const grow = async (height: number) => {
      await page.setViewportSize({
        ...viewport,
        height: Math.min(Math.max(height, viewport.height), tallestPx),
      })
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      )
    }
    await grow(await measure())
    await grow(0)
    await grow(await measure())
  }

  async #examine(page: Page, file: string): Promise<void> {
    await expectAccessible(page).catch((error: unknown) => {
      const found = String(error).match(/^\+ {3}"(.*)"/gm) ?? [String(error).slice(0, 300)]
      this.faults.push(`axe: ${file}: ${found.join(' ').slice(0, 600)}`)
    })
  }
}
