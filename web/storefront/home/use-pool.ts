import type { Pool } from '#contract/wire'
import { poolIn, useSearchParameter } from '../../state/search-parameter.ts'

/** The pool whose prices are shown, stored in the address so that a link can name it. */
export function usePool(): [Pool, (pool: Pool) => void] {
  const [search, setParameter] = useSearchParameter()
  return [poolIn(search) ?? 'residential', (pool) => setParameter('pool', pool)]
}
