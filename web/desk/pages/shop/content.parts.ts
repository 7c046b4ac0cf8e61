/** The parts of the public texts; their schemas stay with the server. */
import type { DeskOutput } from '#contract/desk/contract'

export type ShopContent = DeskOutput<'content'>
export type Part = keyof ShopContent['parts']
