import type { DeskOutput } from '#contract/desk/contract'

export type Account = DeskOutput<'seller_accounts'>[number]

/** The dialog of an account that is open. */
export interface OpenedAccount {
  id: string
  dialog: 'set' | 'bill' | 'answers' | 'places' | 'remove'
}
