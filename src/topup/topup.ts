/**
 * Automatic top-up: traffic is bought from a saved payment method when little is left. README.md has the
 * rules. A charge is written with its invoice before the processor is asked, and counts once per crossing of
 * the threshold.
 */
import type { Database } from '#db'
import { advanceCharges } from './advance.ts'
import { writeDueCharges } from './due.ts'
import { readSavedMethods, type TopUpDeps } from './saving.ts'

export {
  type Consent,
  consentsOf,
  deniedMethods,
  listTopUps,
  type ListedCharge,
  lastCharges,
  type TopUp,
} from './list.ts'
export { eraseTopUps, topUpParts } from './export.and.erase.ts'
export {
  cardText,
  countSaved,
  forgetMethod,
  forgetMethodTask,
  type SavedMethod,
  savedMethods,
  sealedMethodIds,
} from './saved.ts'
export { agreeToSave, type TopUpDeps } from './saving.ts'
export { switchOffByStaff } from './switch.ts'

/** The result of a run. */
export interface TopUpRun {
  saved: number
  made: number
  succeeded: number
  failed: number
}

/**
 * One run of automatic top-up: saves the methods of paid invoices, advances open charges, and makes due ones.
 * Safe to run concurrently in several processes, and to interrupt at any moment.
 */
export async function runTopUps(database: Database, deps: TopUpDeps, now: Date): Promise<TopUpRun> {
  const saved = await readSavedMethods(database, deps, now)
  const before = await advanceCharges(database, deps, now)
  const made = await writeDueCharges(database, deps, now)
  const after = made > 0 ? await advanceCharges(database, deps, now) : { succeeded: 0, failed: 0 }
  return {
    saved,
    made,
    succeeded: before.succeeded + after.succeeded,
    failed: before.failed + after.failed,
  }
}
