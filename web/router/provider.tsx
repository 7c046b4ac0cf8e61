/** Renders the page of a router, or one page for the server. */
import {
  Component,
  createContext,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { NavigateContext, OutletContext, PlaceContext, useLocation } from './react-router.tsx'
import type { Place, Router, Shown } from './router.ts'
import { type Chain, loadCodeOf, pageAt, type Route, tableOf } from './routes.ts'
import { scrollTo } from './scroll.ts'

const ChainContext = createContext<Chain>([])
const BusyContext = createContext(false)
const FailedContext = createContext(false)

/** The handles of the page and of the routes around it. */
export const useHandles = (): unknown[] => useContext(ChainContext).map(({ handle }) => handle)

/** Whether the next page is loading. */
export const useIsBusy = (): boolean => useContext(BusyContext)

interface PageProps {
  chain: Chain
  place: Place
}

const pageOf = (chain: Chain): ReactNode =>
  chain.reduceRight<ReactNode>(
    (inside, { Component: Around }) =>
      Around === undefined ? (
        inside
      ) : (
        <OutletContext.Provider value={inside}>
          <Around />
        </OutletContext.Provider>
      ),
    null,
  )

function Page({ chain, place }: PageProps) {
  return (
    <PlaceContext.Provider value={place}>
      <ChainContext.Provider value={chain}>{pageOf(chain)}</ChainContext.Provider>
    </PlaceContext.Provider>
  )
}

interface ProviderProps {
  router: Router
  /** Shown until the first page has loaded. */
  loading: ReactNode
  /** Shown in place of everything when the layout itself fails. */
  failed: ReactNode
}

export function RouterProvider({ router, loading, failed }: ProviderProps) {
  const [shown, setShown] = useState<Shown>(router.state)
  useEffect(() => {
    // Catches up with changes between rendering and this effect.
    setShown(router.state)
    return router.subscribe((next, how) => {
      if (how === 'sync') flushSync(() => setShown(next))
      else if (how === 'soon') setShown(next)
      else startTransition(() => setShown(next))
    })
  }, [router])
  const { location, chain, scroll } = shown
  const isShown = chain !== null
  useLayoutEffect(() => {
    if (isShown && scroll !== null) scrollTo({ ...location, isReturn: scroll === 'return' })
  }, [location, isShown, scroll])
  return (
    <NavigateContext.Provider value={router.navigate}>
      <BusyContext.Provider value={shown.isBusy}>
        <FailedContext.Provider value={shown.isFailed}>
          {chain === null ? (
            loading
          ) : (
            <Boundary of={location.key} instead={failed}>
              <Page chain={chain} place={location} />
            </Boundary>
          )}
        </FailedContext.Provider>
      </BusyContext.Provider>
    </NavigateContext.Provider>
  )
}

/** Renders one page without a browser; the caller sets the language and the data first. */
export async function staticPage(routes: readonly Route[], url: URL): Promise<ReactNode> {
  const chain = pageAt(tableOf(routes), url.pathname)
  await loadCodeOf(chain)
  const { pathname, search, hash } = url
  return <Page chain={chain} place={{ pathname, search, hash, state: null, key: 'default' }} />
}

interface BoundaryProps {
  /** Identifies what is shown; another value clears the failure. */
  of: string
  instead: ReactNode
  children: ReactNode
}

interface BoundaryState {
  of: string
  hasFailed: boolean
}

class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { of: this.props.of, hasFailed: false }

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true }
  }

  static getDerivedStateFromProps({ of }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return state.of === of ? null : { of, hasFailed: false }
  }

  override render() {
    return this.state.hasFailed ? this.props.instead : this.props.children
  }
}

/** The page inside the layout, or `instead` where it has thrown or its code did not load. */
export function SafePage({ instead }: { instead: ReactNode }) {
  const hasFailed = useContext(FailedContext)
  const { key } = useLocation()
  const page = useContext(OutletContext)
  return (
    <Boundary of={key} instead={instead}>
      {hasFailed ? instead : page}
    </Boundary>
  )
}
