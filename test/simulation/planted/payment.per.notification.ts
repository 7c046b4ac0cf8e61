/** A payment has another id in each notification, so it is counted as often as it is told. */
import { judge as right } from '../../../src/payments/judge.ts'

let told = 0

export const judge: typeof right = (expected, finding) => {
  const judged = right(expected, finding)
  if (typeof judged === 'string' || judged.outcome === 'cancelled') return judged
  return { ...judged, externalPaymentId: `${judged.externalPaymentId}-${told++}` }
}
