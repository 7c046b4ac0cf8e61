/** What most tabs are built of. It is fetched together with the account, so that opening a tab fetches that tab alone. */
export { Dialog } from '../ui/dialog.tsx'
export { Hint } from '../ui/hint.tsx'
export { PoolChoice } from '../ui/pool-choice.tsx'
