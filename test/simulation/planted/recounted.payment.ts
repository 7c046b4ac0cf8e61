/** A payment is counted for every notification of the processor. */
import { judge as right } from '../../../src/payments/judge.ts'

let told = 0

export const judge: typeof right = (expected, finding) => {
  const judged = right({ ...expected, receivedMicros: 0n }, finding)
  if (typeof judged === 'string' || judged.outcome === 'cancelled') return judged
  return { ...judged, externalPaymentId: `${judged.externalPaymentId}-${told++}` }
}
