/** The discounts and the price of an order before it is made. */
import { useQuery } from '@tanstack/react-query'
import { CallError } from '#contract/client'
import type { Pool } from '#contract/wire'
import { ownQuery, query } from '../../state/reads/queries.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { type Price, priceOf } from '#contract/price'
import { useDebounced } from '../use-debounced.ts'

const promoDelayMs = 500
const amountDelayMs = 200

export interface Promocode {
  state: 'none' | 'checking' | 'applied' | 'unknown' | 'refused' | 'failed'
  /** 0..1 */
  discount: number
  /** Of `refused`: why the code does not apply, as the server says it. */
  reason?: string
  /** Of `applied`: the customer's open invoice with the code; whichever is paid first gets the discount. */
  openInvoice?: string
}

/** Checks a promo code for an amount in a pool, half a second after the last change. */
export function usePromocode(code: string, { gb, pool }: { gb: number; pool: Pool }): Promocode {
  const input = `${code.trim()}\n${gb}\n${pool}`
  const settled = useDebounced(input, promoDelayMs)
  const isWanted = code.trim() !== '' && gb > 0
  const { data, error } = useQuery({
    ...query('discount_promocode_info', { code: code.trim(), amount: gb, pool }),
    enabled: isWanted && settled === input,
    staleTime: 0,
    retry: false,
  })
  if (!isWanted) return { state: 'none', discount: 0 }
  if (settled !== input || (data === undefined && error === null)) return { state: 'checking', discount: 0 }
  if (error !== null) return refusedBy(error)
  const openInvoice = data?.open_invoice === undefined ? {} : { openInvoice: data.open_invoice }
  return { state: 'applied', discount: data?.discount ?? 0, ...openInvoice }
}

function refusedBy(error: Error): Promocode {
  if (!(error instanceof CallError && error.status === 422)) return { state: 'failed', discount: 0 }
  if (error.code === 'promocode_invalid') return { state: 'unknown', discount: 0 }
  return { state: 'refused', discount: 0, reason: error.message }
}

export interface Quote {
  /** `unsold`: the pool has no price, so there is nothing to pay. */
  state: 'loading' | 'failed' | 'unsold' | 'ready'
  /** USD per GB, for the pools whose price is known. */
  basePrices: Partial<Record<Pool, number>>
  /** The pool has another price for other customers. */
  isAgreed: boolean
  /** 0..1 */
  volumeDiscount: number
  /** The price to show: on failure the base price and a cost of 0. */
  price: Price
  /** Asks for the prices again. */
  retry: () => void
}

/** The price of an order, from the current prices and discounts. */
export function useQuote(input: { pool: Pool; gb: number; promoDiscount: number }): Quote {
  const { pool, gb, promoDiscount } = input
  const settledGb = useDebounced(gb, amountDelayMs)
  const prices = useQuery(ownQuery('prices', {}))
  const discounts = useQuery({ ...ownQuery('calculate', { amounts: [settledGb] }), enabled: settledGb > 0 })
  const basePrices: Partial<Record<Pool, number>> = prices.data ?? {}
  const baseUsd = basePrices[pool]
  const shopUsd = useOptionalRead(query('prices', {}))?.[pool]
  const isAgreed = shopUsd !== undefined && baseUsd !== undefined && shopUsd !== baseUsd
  const retry = () => {
    for (const each of [prices, discounts]) if (each.isError) void each.refetch()
  }
  const isUnsold = prices.data !== undefined && baseUsd === undefined
  if (prices.isError || discounts.isError || isUnsold) {
    const price = { ...priceOf({ baseUsd: baseUsd ?? 0, gb: 1 }), originalUsd: 0, finalUsd: 0 }
    return { state: isUnsold ? 'unsold' : 'failed', basePrices, isAgreed, volumeDiscount: 0, price, retry }
  }
  const volumeDiscount = gb === 0 ? 0 : discounts.data?.[0]
  const price = priceOf({ baseUsd: baseUsd ?? 0, gb, volumeDiscount: volumeDiscount ?? 0, promoDiscount })
  const isReady = baseUsd !== undefined && volumeDiscount !== undefined && (gb === settledGb || gb === 0)
  return {
    state: isReady ? 'ready' : 'loading',
    basePrices,
    isAgreed,
    volumeDiscount: volumeDiscount ?? 0,
    price,
    retry,
  }
}
