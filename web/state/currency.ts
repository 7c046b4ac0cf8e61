/**
 * The currency in which prices are shown: stored in the browser and, for a signed-in customer, in the
 * account. Amounts due stay in US dollars.
 */
import { useEffect, useSyncExternalStore } from 'react'
import { baseCurrency, convert, parseRate, type ShownCurrency } from '#contract/rates/rates'
import { formatMoney, formatUsd } from '../ui/format.ts'
import { call } from './api.ts'
import { useLanguage } from './i18n.ts'
import { Listeners } from './listeners.ts'
import { logError } from './log.ts'
import { session, useSession } from './session.ts'
import { useSite } from './site.ts'
import { readStored, writeStored } from './storage.ts'
import { view } from './view.ts'

const key = 'currency'
const listeners = new Listeners()
let chosen: string | null = readStored(key)
/** The number of choices so far. */
let choices = 0

function remember(code: string): void {
  chosen = code
  writeStored(key, code)
  listeners.notify()
}

async function keepInAccount(code: string): Promise<void> {
  try {
    await call('set_display_currency', { currency: code })
  } catch (error) {
    logError('the currency was not saved', error)
  }
}

/** Shows prices in this currency from now on. */
export function chooseCurrency(code: string): void {
  choices += 1
  remember(code)
  if (session.get() !== null && view === null) void keepInAccount(code)
}

/** The last choice; null: none was made, as on pages that the server renders. */
const useChosen = () =>
  useSyncExternalStore(
    listeners.subscribe,
    () => chosen,
    () => null,
  )

/** The currencies on offer besides US dollars. */
export const useCurrencies = (): readonly ShownCurrency[] => useSite()?.currencies ?? []

/**
 * The currency in which prices are shown; null: US dollars, also where the chosen one is no longer on offer.
 */
export function useCurrency(): ShownCurrency | null {
  const code = useChosen()
  return useCurrencies().find((currency) => currency.code === code) ?? null
}

/**
 * Used once for the whole site. The choice in the account takes precedence; an account without a choice takes
 * over the browser's.
 */
export function useAccountCurrency(): void {
  const owner = useSession()?.user_id
  const isOffered = useCurrencies().length > 0
  useEffect(() => {
    if (owner === undefined || !isOffered) return undefined
    const leaving = new AbortController()
    const before = choices
    const follow = async () => {
      const { currency } = await call('display_currency', {}, { signal: leaving.signal })
      // The user may have chosen another currency during the request.
      if (choices !== before) return
      if (currency !== null) remember(currency)
      else if (chosen !== null && chosen !== baseCurrency && view === null) await keepInAccount(chosen)
    }
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) logError('the currency of the account was not read', error)
    })
    return () => leaving.abort()
  }, [owner, isOffered])
}

const micros = (usd: number): bigint => BigInt(Math.round(usd * 1e6))

/** Writes prices in the chosen currency: "≈ 32,20 €", or "35,00 $" where there is none. */
export function usePrice(): (usd: number) => string {
  const language = useLanguage()
  const currency = useCurrency()
  const rate = currency === null ? null : parseRate(currency.per_usd)
  if (currency === null || rate === null) return (usd) => formatUsd(usd, language)
  const { code, digits } = currency
  return (usd) => `≈\u00a0${formatMoney(convert(micros(usd), rate, digits), { code, digits }, language)}`
}
