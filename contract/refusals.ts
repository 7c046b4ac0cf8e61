/**
 * All refusals of the API, gathered from the slices, in both languages: what happened and what to do; `{name}`
 * is replaced by a detail.
 */
import type { Language } from './language.ts'
import { trafficIn } from './amounts.ts'
import { accountSecurityRefusals } from './account-security/refusals.ts'
import { accountsRefusals } from './accounts/refusals.ts'
import { billRefusals } from './bill/refusals.ts'
import { contentRefusals } from './content/refusals.ts'
import { documentsRefusals } from './documents/refusals.ts'
import { httpRefusals } from './http/refusals.ts'
import { limitsRefusals } from './limits/refusals.ts'
import { movesRefusals } from './moves/refusals.ts'
import { personalDataRefusals } from './personal-data/refusals.ts'
import { presetsRefusals } from './presets/refusals.ts'
import { promoRefusals } from './promo/refusals.ts'
import { proxiesRefusals } from './proxies/refusals.ts'
import { proxyUsersRefusals } from './proxy-users/refusals.ts'
import { purchaseRefusals } from './purchase/refusals.ts'
import { ratesRefusals } from './rates/refusals.ts'
import { receiptsRefusals } from './receipts/refusals.ts'
import { referralRefusals } from './referral/refusals.ts'
import { requestsRefusals } from './requests/refusals.ts'
import { teamRefusals } from './teams/refusals.ts'
import { resellerRefusals } from './reseller/refusals.ts'
import { statsRefusals } from './stats/refusals.ts'
import { topupRefusals } from './topup/refusals.ts'
import { whitelistRefusals } from './whitelist/refusals.ts'
import { deskRefusals } from './desk/refusals.ts'

interface Sentence {
  status: number
  ru: string
  en: string
  /** An example of the details that no sentence contains, for the documentation. */
  details?: Record<string, unknown>
}

export const refusals = {
  ...httpRefusals,
  ...accountsRefusals,
  ...accountSecurityRefusals,
  ...personalDataRefusals,
  ...resellerRefusals,
  ...teamRefusals,
  ...purchaseRefusals,
  ...topupRefusals,
  ...ratesRefusals,
  ...receiptsRefusals,
  ...promoRefusals,
  ...referralRefusals,
  ...documentsRefusals,
  ...proxiesRefusals,
  ...whitelistRefusals,
  ...limitsRefusals,
  ...billRefusals,
  ...statsRefusals,
  ...requestsRefusals,
  ...movesRefusals,
  ...proxyUsersRefusals,
  ...presetsRefusals,
  ...contentRefusals,
  ...deskRefusals,
} as const satisfies Record<string, Sentence>

export type RefusalCode = keyof typeof refusals

export const isRefusalCode = (text: string): text is RefusalCode => Object.hasOwn(refusals, text)

/**
 * The sentence of a refusal with its placeholders replaced; placeholders without a detail stay visible. An
 * amount in bytes, as `{free} B`, is written for people, as `3.00 GB`: the details have the exact bytes.
 */
export function sentence(
  code: RefusalCode,
  language: Language,
  details: Record<string, unknown> = {},
): string {
  return refusals[code][language].replace(
    /\{(\w+)\}( [BБ](?!\p{L}))?/gu,
    (whole, name: string, unit?: string) => {
      const value = details[name]
      if (unit !== undefined && typeof value === 'number')
        return trafficIn(BigInt(value), language).replace('\u00a0', ' ')
      return ['string', 'number', 'bigint'].includes(typeof value) ? String(value) : whole
    },
  )
}
