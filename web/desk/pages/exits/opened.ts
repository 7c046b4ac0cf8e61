/** The dialog of an exit that is open. */
export interface Opened {
  id: string
  dialog: 'set' | 'health' | 'remove' | 'refusals' | 'cost' | 'stock'
}
