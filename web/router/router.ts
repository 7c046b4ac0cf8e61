/**
 * Navigation between the pages of the shop. A page is shown when its code and its texts have loaded; until
 * then the page before it stays. A later navigation supersedes an earlier one.
 */
import { type Chain, isLoaded, load, loadCodeOf, pageAt, type Route, tableOf } from './routes.ts'
import { keepPosition, takeOverScrolling } from './scroll.ts'

export interface Place {
  pathname: string
  search: string
  hash: string
  /** The state that was passed to `navigate`; null: none. */
  state: unknown
  /** Identifies the entry of the history; `default` for the first of the visit. */
  key: string
}

export interface Shown {
  location: Place
  /** Null until the first page has loaded. */
  chain: Chain | null
  /** The code of the page could not be loaded. */
  isFailed: boolean
  /** The next page is loading. */
  isBusy: boolean
  /** `return`: scrolls to the stored position; `reset`: to the fragment or the top; null: not at all. */
  scroll: 'reset' | 'return' | null
}

export interface NavigateOptions {
  replace?: boolean
  state?: unknown
  preventScrollReset?: boolean
  /** Renders the page at once instead of as a transition. */
  flushSync?: boolean
}

interface HistoryState {
  usr?: unknown
  key?: string
}

type Listener = (shown: Shown, how: Render) => void
/** Renders synchronously, as an ordinary update, or as a transition that does not block input. */
type Render = 'sync' | 'soon' | 'transition'
type HistoryAct = 'push' | 'replace' | 'none'

const placeOf = (url: URL, state: HistoryState | null): Place => ({
  pathname: url.pathname,
  search: url.search,
  hash: url.hash,
  state: state?.usr ?? null,
  key: state?.key ?? 'default',
})

const current = () => placeOf(new URL(window.location.href), window.history.state as HistoryState | null)

export class Router {
  readonly #table: ReadonlyMap<string, Chain>
  readonly #listeners = new Set<Listener>()
  #navigations = 0
  state: Shown = { location: current(), chain: null, isFailed: false, isBusy: false, scroll: 'return' }

  constructor(routes: readonly Route[]) {
    this.#table = tableOf(routes)
    takeOverScrolling(() => this.state.location.key)
    window.addEventListener('popstate', this.#follow)
  }

  /** Follows the browser's buttons. */
  readonly #follow = () => void this.#go(current(), 'none', {})

  /** Stops following the browser's buttons. */
  close(): void {
    window.removeEventListener('popstate', this.#follow)
  }

  /** Loads the first page; resolves when it can be rendered. */
  async start(): Promise<void> {
    await this.#go(this.state.location, 'none', {})
  }

  /** Prepares a page that the server has rendered: only loads its code. */
  async hydrate(): Promise<void> {
    const chain = pageAt(this.#table, this.state.location.pathname)
    await loadCodeOf(chain)
    this.state = { ...this.state, chain, scroll: null }
  }

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  navigate = async (to: string | number, options: NavigateOptions = {}): Promise<void> => {
    if (typeof to === 'number') return window.history.go(to)
    const { pathname, search, hash } = this.state.location
    const url = new URL(to, window.location.origin + pathname + search + hash)
    const place = placeOf(url, { usr: options.state, key: Math.random().toString(36).slice(2, 10) })
    await this.#go(place, options.replace === true ? 'replace' : 'push', options)
  }

  async #go(place: Place, act: HistoryAct, options: NavigateOptions): Promise<void> {
    const own = ++this.#navigations
    const chain = pageAt(this.#table, place.pathname)
    let isFailed = false
    if (chain !== this.state.chain || !isLoaded(chain)) {
      this.#show({ ...this.state, isBusy: true }, 'soon')
      try {
        const url = new URL(place.pathname + place.search + place.hash, window.location.origin)
        const target = await load(chain, url)
        if (own !== this.#navigations) return
        if (target !== undefined)
          return await this.navigate(target, { replace: act !== 'push', state: undefined })
      } catch {
        isFailed = true
      }
      if (own !== this.#navigations) return
    }
    keepPosition(this.state.location.key)
    this.#write(place, act)
    const scroll = act === 'none' ? 'return' : options.preventScrollReset === true ? null : 'reset'
    const shown = { location: place, chain, isFailed, isBusy: false, scroll } as const
    this.#show(shown, options.flushSync === true ? 'sync' : 'transition')
  }

  #write({ pathname, search, hash, state, key }: Place, act: HistoryAct): void {
    if (act === 'none') return
    const entry: HistoryState = { usr: state, key }
    const address = pathname + search + hash
    if (act === 'push') window.history.pushState(entry, '', address)
    else window.history.replaceState(entry, '', address)
  }

  #show(shown: Shown, how: Render): void {
    this.state = shown
    for (const listener of this.#listeners) listener(shown, how)
  }
}
