/**
 * The exports of the web build for rendering pages (`web/prerender.tsx`); the build and the server both
 * import it.
 */
import type { Input, Name, Output } from './contract.ts'
import type { Frame } from './frames/frames.ts'
import type { Language } from './language.ts'
import type { PublicPath } from './pages.ts'

/** The answers a page was rendered with, each by the key under which the browser looks it up. */
export interface PageData {
  answers: [key: readonly unknown[], answer: unknown][]
}

/** A call whose answer a page shows. */
export interface PageQuery<N extends Name = Name> {
  key: readonly unknown[]
  name: N
  input: Input<N>
}

/** Makes a call for the visitor; undefined where it is refused. */
export type Ask = <N extends Name>(name: N, input: Input<N>) => Promise<Output<N> | undefined>

/** A screen of the account that a browser is about to show. */
export interface FirstScreen {
  frame: Frame
  language: Language
  /** The values that the browser has stored under `shownKeys`. */
  stored: Readonly<Record<string, string>>
  nowMs: number
}

/** What a screen needs of the browser's storage. */
export const shownKeys = ['panel-settings', 'first-line'] as const

export interface FirstScreenData extends PageData {
  /** The tab as far as the server can render it; null: it renders none of this tab. */
  html: string | null
}

interface PageSources {
  source: string
  /** Further modules that the page loads at once. */
  parts?: readonly string[]
  texts: readonly string[]
}

export interface PageRenderer {
  /**
   * The module of each public page, as the manifest of the build names it, and the namespaces of its texts.
   */
  publicPages: Readonly<Record<PublicPath, PageSources>>
  /** The same of the frames of private pages, with the code of what they will contain. */
  framePages: Readonly<Record<Frame, PageSources>>
  /** The calls whose answers a public page shows. */
  pageQueries: (page: PublicPath, language: Language) => PageQuery[]
  /** The calls whose answers the layout around every page shows. */
  layoutQueries: (language: Language) => PageQuery[]
  /** The answers that the first screen of the account shows to the visitor, and its HTML. */
  firstScreen: (screen: FirstScreen, ask: Ask) => Promise<FirstScreenData>
  /** The HTML of a public page or a frame: the elements of its head, and its body. */
  renderPage: (
    page: PublicPath | Frame,
    language: Language,
    data: PageData,
  ) => Promise<{ head: string; body: string }>
  /** Puts a rendered page into its template. The data is embedded for the browser; null embeds none. */
  fillTemplate: (template: string, page: { head: string; body: string; data: PageData | null }) => string
  /** Embeds data into the shell in which the browser renders the private pages. */
  fillShell: (shell: string, data: PageData) => string
}
