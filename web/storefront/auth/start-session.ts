import type { Output } from '#contract/contract'
import { callWith, isSignedOut } from '../../state/api.ts'
import { clearCache } from '../../state/cache.ts'
import { session } from '../../state/session.ts'

/** Why no session began after the server had accepted the credentials. */
export type StartFailure = 'noToken' | 'badToken' | 'noProfile' | 'profileFailed'

export class StartError extends Error {
  readonly failure: StartFailure

  constructor(failure: StartFailure, options?: ErrorOptions) {
    super(`the session did not start: ${failure}`, options)
    this.failure = failure
  }
}

/**
 * Reads the profile of a new token and stores both as the session. On failure throws a `StartError` and
 * stores nothing.
 */
export async function startSession(answer: string): Promise<void> {
  const token = answer.trim()
  if (token === '') throw new StartError('noToken')
  const [profile] = await readProfiles(token)
  if (profile === undefined) throw new StartError('noProfile')
  clearCache()
  session.set({ ...profile, token })
}

async function readProfiles(token: string): Promise<Output<'legacy_profile'>> {
  try {
    return await callWith(token)('legacy_profile', {})
  } catch (error) {
    throw new StartError(isSignedOut(error) ? 'badToken' : 'profileFailed', { cause: error })
  }
}
