/**
 * Components that most tabs use. Fetched together with the account, so that opening a tab fetches only its
 * own code.
 */
export { Dialog } from '../../ui/dialog.tsx'
export { PoolChoice } from '../../ui/fields/pool-choice.tsx'
