/** The pools that traffic is sold in, and its unit. */
import type { Language } from './language.ts'

export const pools = ['residential', 'residential_premium', 'datacenter', 'mobile'] as const
export type Pool = (typeof pools)[number]

/** The names of the pools in letters, documents and the bot; the pages have theirs among their texts. */
export const poolNames: Readonly<Record<Language, Readonly<Record<Pool, string>>>> = {
  ru: {
    residential: 'Резидентский',
    residential_premium: 'Резидентский премиум',
    datacenter: 'Серверный',
    mobile: 'Мобильный',
  },
  en: {
    residential: 'Residential',
    residential_premium: 'Residential Premium',
    datacenter: 'Datacenter',
    mobile: 'Mobile',
  },
}

/** 1 GB is 10^9 bytes, everywhere. */
export const bytesPerGb = 1_000_000_000n
