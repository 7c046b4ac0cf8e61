import { call } from '../../state/api.ts'

let asked: { entry: string; answer: (is: boolean) => void }[] = []

/** Asks whether this member may undo an entry now; entries that are asked about together make one call. */
export function isUndoableNow(entry: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (asked.length === 0)
      setTimeout(() => {
        const batch = asked
        asked = []
        call('undoable_acts', { entries: batch.map((each) => each.entry) }).then((found) => {
          const entries = new Set(found.map((each) => each.entry))
          for (const each of batch) each.answer(entries.has(each.entry))
        }, reject)
      })
    asked.push({ entry, answer: resolve })
  })
}
