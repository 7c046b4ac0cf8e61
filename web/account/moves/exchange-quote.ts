/** The result of an exchange, as the server computes it. */
import { useQuery } from '@tanstack/react-query'
import type { Input } from '#contract/contract'
import { leastMoveMb } from '#contract/moves/rules'
import { query } from '../../state/reads/queries.ts'
import { useDebounced } from '../use-debounced.ts'

const delayMs = 250

export type ExchangeQuote =
  | { state: 'none' | 'loading' }
  | { state: 'failed'; retry: () => void }
  | { state: 'ready'; toBytes: bigint }

/**
 * The quote of an exchange, a quarter of a second after the last change; `wish` null: there is none to ask
 * for.
 */
export function useExchangeQuote(wish: Input<'quote_exchange'> | null): ExchangeQuote {
  const megabytes = wish?.megabytes ?? 0
  const settled = useDebounced(megabytes, delayMs)
  const isWanted = wish !== null && megabytes >= leastMoveMb
  const { data, isError, refetch } = useQuery({
    ...query('quote_exchange', wish ?? { pool: 'residential', to_pool: 'mobile', megabytes }),
    enabled: isWanted && settled === megabytes,
    staleTime: 0,
    retry: false,
  })
  if (!isWanted) return { state: 'none' }
  if (isError) return { state: 'failed', retry: () => void refetch() }
  return data === undefined ? { state: 'loading' } : { state: 'ready', toBytes: BigInt(data.to_bytes) }
}
