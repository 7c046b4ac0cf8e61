/** The languages and widths in which a way through the account is walked. */
import { sized } from '../size.ts'

const all = [
  { language: 'ru', width: 390 },
  { language: 'en', width: 1280 },
  { language: 'ru', width: 1280 },
  { language: 'en', width: 390 },
] as const

/** `npm test` walks in each language and at each width once, `npm run test:long` in all four ways. */
export const screens = all.slice(0, sized(2, all.length))
