import type { Pool } from '#contract/wire'
import { poolIn, useSearchParameter } from '../../state/search-parameter.ts'
import { soldPool, useSitePools } from '../../state/places/sold-pools.ts'

/**
 * The pool whose prices are shown, stored in the address so that a link can name it; the first one on sale
 * where a link names another.
 */
export function usePool(): [Pool, (pool: Pool) => void] {
  const [search, setParameter] = useSearchParameter()
  const { sold } = useSitePools()
  return [soldPool(sold, poolIn(search)), (pool) => setParameter('pool', pool)]
}
