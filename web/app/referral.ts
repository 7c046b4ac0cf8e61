/**
 * Who sent this visitor. A link carries the code of an inviting customer (`ref`, or `referry` in old links) or of an
 * operator (`source`); the code is remembered until a sign-up uses it, and the address is cleaned so that the code
 * is not passed on by copying it.
 */
import { readStored, removeStored, writeStored } from './storage.ts'

const keys = { referral: 'referralCode', admin: 'adminReferralCode' } as const
const longest = 64

/** The codes in an address and the address without them; an empty or overlong code is no code. */
export function referralIn(address: string): { referral?: string; admin?: string; cleaned: string | null } {
  const url = new URL(address)
  const carried = ['ref', 'referry', 'source'].some((name) => url.searchParams.has(name))
  if (!carried) return { cleaned: null }
  const referral = code(url.searchParams.get('ref')) ?? code(url.searchParams.get('referry'))
  const admin = code(url.searchParams.get('source'))
  for (const name of ['ref', 'referry', 'source']) url.searchParams.delete(name)
  return {
    ...(referral === undefined ? {} : { referral }),
    ...(admin === undefined ? {} : { admin }),
    cleaned: url.pathname + url.search + url.hash,
  }
}

function code(value: string | null): string | undefined {
  const text = value?.trim() ?? ''
  return text === '' || text.length > longest ? undefined : text
}

/** Remembers the codes of the address the visitor came by, before any page is shown. */
export function captureReferral(): void {
  const found = referralIn(window.location.href)
  if (found.referral !== undefined) writeStored(keys.referral, found.referral)
  if (found.admin !== undefined) writeStored(keys.admin, found.admin)
  if (found.cleaned !== null) window.history.replaceState(window.history.state, '', found.cleaned)
}

export function storedReferral(): { referral: string | null; admin: string | null } {
  return { referral: readStored(keys.referral), admin: readStored(keys.admin) }
}

/** After a sign-up took them. */
export function forgetReferral(): void {
  removeStored(keys.referral)
  removeStored(keys.admin)
}
