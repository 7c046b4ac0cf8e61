import { CallError } from '#contract/client'
import { isSignedOut } from '../state/api.ts'
import { toast } from '../state/toast.ts'

/** Shows why a call failed: the sentence of the server where it sent one, else `fallback`. */
export function toastFailure(error: unknown, fallback: string): void {
  if (isSignedOut(error)) return
  toast.error(error instanceof CallError && error.message !== '' ? error.message : fallback)
}
