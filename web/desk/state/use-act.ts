import { useMutation } from '@tanstack/react-query'
import type { DeskAnswer } from '#contract/desk/client'
import type { DeskInput } from '#contract/desk/contract'
import type { DeskName } from '#contract/desk/wire'
import { tellDone } from './acts-done.ts'
import { call, refreshAll } from './api.ts'

interface Act<N extends DeskName> {
  pending: boolean
  /** Why the last attempt failed, in the member's language. */
  fault: string | undefined
  error: Error | null
  result: DeskAnswer<N> | undefined
  run: (input: DeskInput<N>) => void
  reset: () => void
}

/**
 * A call that changes something: its progress, its refusal, and a fresh look at everything shown afterwards.
 * `onFault` runs when it is refused or fails.
 */
export function useAct<N extends DeskName>(
  name: N,
  onDone?: (result: DeskAnswer<N>) => void,
  onFault?: () => void,
): Act<N> {
  const { isPending, error, data, mutate, reset } = useMutation({
    mutationFn: (input: DeskInput<N>) => call(name, input),
    onSuccess: (result) => {
      onDone?.(result)
      void refreshAll()
      tellDone(name)
    },
    onError: () => onFault?.(),
  })
  return { pending: isPending, fault: error?.message, error, result: data, run: mutate, reset }
}
