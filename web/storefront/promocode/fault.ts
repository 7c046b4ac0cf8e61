import { CallError } from '#contract/client'

/** What to say of a code that was not taken: the server's 422 and 409 have their own words. */
export function faultOf(fault: unknown): 'invalid' | 'used' | 'processing' {
  if (!(fault instanceof CallError)) return 'processing'
  if (fault.status === 422) return 'invalid'
  return fault.status === 409 ? 'used' : 'processing'
}
