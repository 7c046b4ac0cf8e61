/**
 * What the pages of the shop use of react-router, under its names: the bundler resolves `react-router` to this
 * file (vite.config.ts). docs/decisions/0053-the-shops-own-router.md says why.
 */
import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
} from 'react'
import type { NavigateOptions, Place } from './router.ts'

type To = string | Partial<Pick<Place, 'pathname' | 'search' | 'hash'>>
type Navigate = (to: string | number, options?: NavigateOptions) => Promise<void>

export const PlaceContext = createContext<Place>({
  pathname: '/',
  search: '',
  hash: '',
  state: null,
  key: 'default',
})
export const NavigateContext = createContext<Navigate>(async () => undefined)
export const OutletContext = createContext<ReactNode>(null)

export const useLocation = (): Place => useContext(PlaceContext)
export const useNavigate = (): Navigate => useContext(NavigateContext)

/** The page inside a layout. */
export function Outlet() {
  const children = useContext(OutletContext)
  return <>{children}</>
}

const withMark = (mark: string, text = '') => (text === '' || text.startsWith(mark) ? text : mark + text)

const addressOf = (to: To, { pathname }: Place): string =>
  typeof to === 'string' ? to : (to.pathname ?? pathname) + withMark('?', to.search) + withMark('#', to.hash)

interface LinkProps extends Omit<ComponentProps<'a'>, 'href'>, NavigateOptions {
  to: To
}

/** A link to another page of the shop; a click with a modifier is left to the browser. */
export function Link({ to, onClick, replace, state, preventScrollReset, ...rest }: LinkProps) {
  const place = useLocation()
  const navigate = useNavigate()
  const address = addressOf(to, place)
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const opensElsewhere = event.metaKey || event.altKey || event.ctrlKey || event.shiftKey
    const isOwn = rest.target === undefined || rest.target === '_self'
    if (event.defaultPrevented || event.button !== 0 || opensElsewhere || !isOwn) return
    event.preventDefault()
    const isHere = address === place.pathname + place.search + place.hash
    const options = { state, replace: replace ?? isHere, preventScrollReset: preventScrollReset === true }
    void navigate(address, options)
  }
  return <a {...rest} href={address} onClick={follow} />
}

/** Leads to another page as soon as it is rendered. */
export function Navigate({ to, replace = false }: { to: string; replace?: boolean }) {
  const navigate = useNavigate()
  useEffect(() => void navigate(to, { replace }), [navigate, to, replace])
  return null
}

type SetSearch = (
  next: URLSearchParams | ((current: URLSearchParams) => URLSearchParams),
  options?: NavigateOptions,
) => void

export function useSearchParams(): [URLSearchParams, SetSearch] {
  const { search: text } = useLocation()
  const navigate = useNavigate()
  const search = useMemo(() => new URLSearchParams(text), [text])
  const setSearch = useCallback<SetSearch>(
    (next, options) => {
      const wanted = typeof next === 'function' ? next(new URLSearchParams(search)) : next
      void navigate(`?${wanted.toString()}`, options)
    },
    [navigate, search],
  )
  return [search, setSearch]
}
