import type { DeskOutput } from '#contract/desk/contract'

export type Customer = DeskOutput<'customer'>
