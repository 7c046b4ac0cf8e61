/** A balance below the threshold is charged at every check, not once for each crossing. */
import type { crossed as right } from '../../../src/topup/rules.ts'

export const crossed: typeof right = (_seen, held, belowBytes) => ({
  isArmed: true,
  isDue: held.bytes < belowBytes * 3n,
})
