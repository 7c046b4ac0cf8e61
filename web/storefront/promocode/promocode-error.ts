import { CallError } from '#contract/client'

/** The key of the text for a code that was not accepted. */
export function promocodeErrorOf(error: unknown): 'invalid' | 'used' | 'processing' {
  if (!(error instanceof CallError)) return 'processing'
  if (error.status === 422) return 'invalid'
  return error.status === 409 ? 'used' : 'processing'
}
