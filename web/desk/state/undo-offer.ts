/** The act that the member has just made and may undo; the page offers it for some seconds. */
import { useSyncExternalStore } from 'react'
import type { DeskName } from '#contract/desk/wire'
import { isUndoableAct } from '#contract/desk/undo/acts'
import { call } from './api.ts'

interface UndoOffer {
  /** Its entry in the audit trail, which offers the same later. */
  entry: string
  action: string
}

let offer: UndoOffer | null = null
const listeners = new Set<() => void>()

export function setOffer(next: UndoOffer | null): void {
  offer = next
  for (const listener of listeners) listener()
}

/** Asks whether the act that was just made can be undone. */
export async function offerUndo(name: DeskName): Promise<void> {
  if (!isUndoableAct(name)) return
  // Without an answer nothing is offered; the audit trail still does.
  const [last] = await call('undoable_acts', {}).catch(() => [])
  if (last?.action === name) setOffer(last)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useUndoOffer = (): UndoOffer | null => useSyncExternalStore(subscribe, () => offer)

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
