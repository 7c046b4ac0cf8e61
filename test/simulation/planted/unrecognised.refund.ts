/** A refund that the shop has ordered is counted again when the processor reports it. */
import type { isOwn as right } from '../../../src/purchase/returned.effect.ts'

export const isOwn: typeof right = () => false
