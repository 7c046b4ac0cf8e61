/**
 * The one client of the desk: it asks for a fresh second factor when the server requires one, and repeats the
 * call.
 */
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { createDeskClient, type DeskAnswer, type DeskClient } from '#contract/desk/client'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import type { DeskName } from '#contract/desk/wire'
import { CallError } from '#contract/transport'
import { currentLanguage } from '../../state/i18n.ts'
import { isOfflineNow, serverAnswers, untilServerAnswers } from '../../state/connection.ts'
import { queryConfig } from '../../state/reads/query-config.ts'
import { requestStepUp } from './step-up.ts'

export const queryClient = new QueryClient(queryConfig)

export type DeskSession = DeskOutput<'session'>

const sessionKey = ['session', {}] as const

/** The session has ended: what was read with it is dropped, and the sign-in page shows in its place. */
function onUnauthorized(): void {
  const session = queryClient.getQueryData<DeskSession>(sessionKey)
  if (session === undefined || session.stage === 'signed_out') return
  setSession({ ...session, stage: 'signed_out', member: null, factors: [] })
}

/** Stores the state of the sign-in; drops everything that another member has read. */
export function setSession(session: DeskSession): void {
  const before = queryClient.getQueryData<DeskSession>(sessionKey)
  if (before?.member?.id !== session.member?.id)
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  queryClient.setQueryData(sessionKey, session)
}

const send: DeskClient = createDeskClient({
  language: currentLanguage,
  onUnauthorized,
  isOffline: isOfflineNow,
})

const isRefused = (error: unknown, code: string) => error instanceof CallError && error.code === code

let isWaiting = false

/** The frame says when the server cannot be reached; failed reads are repeated once it answers. */
async function waitForServer(): Promise<void> {
  if (isWaiting) return
  isWaiting = true
  if (!(await serverAnswers())) await untilServerAnswers()
  isWaiting = false
  await queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
}

/** Makes a call. When the call needs a fresh second factor, asks for it and makes the call again. */
export const call: DeskClient = async (name, input, options) => {
  try {
    return await send(name, input, options)
  } catch (error) {
    if ((isRefused(error, 'network') || isRefused(error, 'offline')) && options?.signal?.aborted !== true)
      void waitForServer()
    if (isRefused(error, 'second_factor_missing'))
      void queryClient.invalidateQueries({ queryKey: sessionKey })
    if (!isRefused(error, 'step_up_needed') || !(await requestStepUp())) throw error
    return send(name, input, options)
  }
}

/** The options of a read, for `useQuery`; its key also invalidates it. */
export function query<N extends DeskName>(name: N, input: DeskInput<N>) {
  return queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }): Promise<DeskAnswer<N>> => call(name, input, { signal }),
  })
}

/** After a change: everything shown is read again, except the session. */
export function refreshAll(): Promise<void> {
  return queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
}
