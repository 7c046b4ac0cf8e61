/** The amount under which a notice is sent, as its form has it: GB, of at most six decimal places. */
import { bytesPerGb } from '#contract/wire'
import { withPoint } from '../decimal-text.ts'

const least = 0.001
const most = 1_000_000

/** The bytes; null for blank text, undefined for a number out of bounds or other text. */
export function readThreshold(text: string): number | null | undefined {
  const normalized = withPoint(text)
  if (normalized === '') return null
  if (!/^\d{1,7}(\.\d{1,6})?$/.test(normalized)) return undefined
  const gb = Number(normalized)
  return gb >= least && gb <= most ? Math.round(gb * Number(bytesPerGb)) : undefined
}
