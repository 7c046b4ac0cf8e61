/** The request for a proof of the owner: made by a call that was refused, answered by the dialog. */
import { useSyncExternalStore } from 'react'
import type { Input, Name, Output } from '#contract/contract'
import { CallError } from '#contract/client'
import { proofCode } from '#contract/account-security/rules'
import { call } from '../../state/api.ts'
import { useOptionalRead, useOptionalReadAt } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { Listeners } from '../../state/listeners.ts'

const listeners = new Listeners()
let open: { answer: (proved: boolean) => void; answered: Promise<boolean> } | null = null

/**
 * Opens the dialog; resolves with whether the owner was proved. Calls refused meanwhile wait for the same
 * answer.
 */
export function requestProof(): Promise<boolean> {
  if (open === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    open = { answer: resolve, answered: promise }
    listeners.notify()
  }
  return open.answered
}

/** The dialog's answer. */
export function answerProof(proved: boolean): void {
  const asked = open
  open = null
  listeners.notify()
  asked?.answer(proved)
}

export const useIsProofOpen = (): boolean =>
  useSyncExternalStore(
    listeners.subscribe,
    () => open !== null,
    () => false,
  )

/** Whether a call was refused because the owner has to be proved first. */
export const needsProof = (error: unknown): boolean => error instanceof CallError && error.code === proofCode

/** A call that is repeated automatically after the owner was proved. */
export async function callProved<N extends Name>(
  name: N,
  input: Input<N>,
  options: { idempotencyKey?: string } = {},
): Promise<Output<N>> {
  try {
    return await call(name, input, options)
  } catch (error) {
    if (!needsProof(error) || !(await requestProof())) throw error
    return call(name, input, options)
  }
}

/**
 * The minimum remaining time of a proof for opening a dialog: otherwise it would expire while the dialog is
 * filled in.
 */
const enoughMs = 60_000

/** Whether the owner was proved recently, so that a secret is shown without another proof. */
export function useIsProven(): boolean {
  const { data, readAtMs } = useOptionalReadAt(query('security', {}))
  const until = data?.proven_until ?? null
  return until !== null && Date.parse(until) > readAtMs
}

/**
 * Asks for the proof before a dialog opens whose act will need it, so that no two dialogs are open. `always`:
 * also where the account has no second factor. False: the person has declined.
 */
export function useProofFirst(): (always: boolean) => Promise<boolean> {
  const data = useOptionalRead(query('security', {}))
  return async (always) => {
    if (data === undefined || (!always && data.factors.length === 0)) return true
    const leftMs = data.proven_until === null ? 0 : Date.parse(data.proven_until) - Date.now()
    return leftMs > enoughMs || requestProof()
  }
}
