/** Decimal numbers in forms of the account, and amounts of traffic as such numbers. */
import { bytesPerGb } from '#contract/wire'

/** Typed text without spaces around it, with a decimal point. */
export const withPoint = (text: string): string => text.trim().replace(',', '.')

/** Bytes as GB; null as blank text. */
export const gbText = (bytes: number | null): string =>
  bytes === null ? '' : String(bytes / Number(bytesPerGb))
