import { useSearchParams } from 'react-router'
import { type Pool, pools } from '#contract/wire'

/** The pool whose prices are shown; it lives in the address, so that a link to them can be sent. */
export function usePool(): [Pool, (pool: Pool) => void] {
  const [search, setSearch] = useSearchParams()
  const asked = search.get('pool')
  const pool = pools.find((each) => each === asked) ?? 'residential'
  const choose = (next: Pool) => {
    setSearch(
      (before) => {
        before.set('pool', next)
        return before
      },
      { replace: true, preventScrollReset: true },
    )
  }
  return [pool, choose]
}
