/** A refund that the shop has ordered is counted once more when the processor tells of it. */
import type { isOwn as right } from '../../../src/purchase/returned.effect.ts'

export const isOwn: typeof right = () => false
