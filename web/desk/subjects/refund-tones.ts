import type { refundStates } from '#contract/desk/choices'
import type { Tone } from '../parts/badge.tsx'

/** The colour of each state of a refund that the shop made. */
export const refundTones: Readonly<Record<(typeof refundStates)[number], Tone>> = {
  planned: 'warning',
  due: 'warning',
  sent: 'good',
  done: 'good',
  refused: 'bad',
  failed: 'bad',
  dropped: 'quiet',
}
