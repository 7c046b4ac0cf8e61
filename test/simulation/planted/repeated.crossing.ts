/** A balance below the threshold is charged for at every look, not once for each fall. */
import type { crossed as right } from '../../../src/topup/rules.ts'

export const crossed: typeof right = (_seen, held, belowBytes) => ({
  isArmed: true,
  isDue: held.bytes < belowBytes * 3n,
})
