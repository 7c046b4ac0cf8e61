/** A repeated report is settled again. */
import { takeUnsettled as right } from '../../../src/traffic/sequence.ts'

export const takeUnsettled: typeof right = async (tx, reports) => {
  await right(tx, reports)
  return [...reports]
}
