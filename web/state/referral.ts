/**
 * Referral codes. A link carries the code of an inviting customer (`ref`, or `referry` in old links) or of an
 * operator (`source`). The code is stored until a sign-up uses it and removed from the address, so that
 * copying the address does not pass it on.
 */
import { readStored, removeStored, writeStored } from './storage.ts'

const parameters = ['ref', 'referry', 'source'] as const
const keys = { referral: 'referralCode', admin: 'adminReferralCode' } as const
const maxLength = 64

/** The codes in an address, and the address without them; empty and overlong codes are ignored. */
export function referralIn(address: string): { referral?: string; admin?: string; cleaned: string | null } {
  const url = new URL(address)
  if (!parameters.some((name) => url.searchParams.has(name))) return { cleaned: null }
  const referral = code(url.searchParams.get('ref')) ?? code(url.searchParams.get('referry'))
  const admin = code(url.searchParams.get('source'))
  for (const name of parameters) url.searchParams.delete(name)
  return {
    ...(referral === undefined ? {} : { referral }),
    ...(admin === undefined ? {} : { admin }),
    cleaned: url.pathname + url.search + url.hash,
  }
}

function code(value: string | null): string | undefined {
  const text = value?.trim() ?? ''
  return text === '' || text.length > maxLength ? undefined : text
}

/** Stores the codes of the current address and removes them from it, before the first page renders. */
export function captureReferral(): void {
  const found = referralIn(window.location.href)
  if (found.referral !== undefined) writeStored(keys.referral, found.referral)
  if (found.admin !== undefined) writeStored(keys.admin, found.admin)
  if (found.cleaned !== null) window.history.replaceState(window.history.state, '', found.cleaned)
}

export function storedReferral(): { referral: string | null; admin: string | null } {
  return { referral: readStored(keys.referral), admin: readStored(keys.admin) }
}

/** Removes the stored codes after a sign-up has used them. */
export function forgetReferral(): void {
  removeStored(keys.referral)
  removeStored(keys.admin)
}
