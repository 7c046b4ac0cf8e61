import { call, callWith, queryClient } from '../../app/api.ts'
import { type Profile, session } from '../../app/session.ts'

/** Signing in went well but the profile did not come: nobody is signed in. */
export class ProfileMissing extends Error {}

/** The server answered without a token. */
export class TokenMissing extends Error {}

/** Exchanges login and password for a token, reads the profile with it, and only then has a signed-in user. */
export async function signIn(username: string, password: string): Promise<void> {
  const token = (await call('signin', { username, password })).trim()
  if (token === '') throw new TokenMissing()
  const profile = await profileOf(token)
  queryClient.clear()
  session.set({ ...profile, token })
}

async function profileOf(token: string): Promise<Profile> {
  let profiles: Profile[]
  try {
    profiles = await callWith(token)('legacy_profile', {})
  } catch (error) {
    throw new ProfileMissing('the profile could not be read', { cause: error })
  }
  const [profile] = profiles
  if (profile === undefined) throw new ProfileMissing('the answer held no profile')
  return profile
}
