/** The question for a fresh second factor: asked by a call that was refused, answered by the dialog. */
import { useSyncExternalStore } from 'react'
import { Listeners } from '../../state/listeners.ts'

const listeners = new Listeners()
let open: { answer: (proved: boolean) => void; answered: Promise<boolean> } | null = null

/**
 * Opens the dialog; resolves with whether the factor was proved. Calls refused meanwhile wait for the same
 * answer.
 */
export function requestStepUp(): Promise<boolean> {
  if (open === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    open = { answer: resolve, answered: promise }
    listeners.notify()
  }
  return open.answered
}

/** The dialog's answer. */
export function answerStepUp(proved: boolean): void {
  const asked = open
  open = null
  listeners.notify()
  asked?.answer(proved)
}

export const useIsStepUpOpen = (): boolean => useSyncExternalStore(listeners.subscribe, () => open !== null)
