/**
 * The account on which this browser's session acts: the person's own, or that of a team. It is stored on the
 * server with the session, and here with the profile, so that every tab shows it.
 */
import { type Members, teamRoles } from '#contract/acting/roles'
import { type Name, wire } from '#contract/wire'
import { callShowing, callWith, onOtherAccount } from '../api.ts'
import { clearCache } from '../cache.ts'
import { logError } from '../log.ts'
import { session, type Session, useSession } from '../session.ts'
import { useView } from '../view.ts'

/** Whether the role on the shown account allows a call; the server judges again. */
export function roleAllows({ acting }: Pick<Session, 'acting'>, name: Name): boolean {
  if (acting === undefined) return true
  const { members }: { members: Members } = wire[name]
  return typeof members === 'string' ? members !== 'owner' : members.includes(acting.role)
}

/** The same of the session of this tab: what the role forbids is not offered. */
export function useRoleAllows(name: Name): boolean {
  const user = useSession()
  return user === null || roleAllows(user, name)
}

/** Whether an act is offered: the role allows its call, and nobody of the staff looks at the account. */
export function useMay(name: Name): boolean {
  const isView = useView() !== null
  return useRoleAllows(name) && !isView
}

/** The membership by which the shown account is acted on; undefined: it is the person's own. */
export const useActing = (): Session['acting'] => useSession()?.acting

/**
 * Shows the account on which the session acts on the server, from a fresh page: nothing of the account before
 * it stays in memory.
 */
async function showActed(token: string): Promise<void> {
  const { own, acts_on: actsOn, teams } = await callWith(token)('my_teams', {})
  const account = Number(actsOn)
  const [profile] = await callShowing(token, account)('legacy_profile', {})
  if (profile === undefined) throw new Error('the account has no profile')
  const role = teamRoles.find((each) => each === teams.find(({ account: id }) => id === actsOn)?.role)
  const acting = role === undefined ? {} : { acting: { role, own: own.account, name: own.name } }
  session.set({ ...profile, token, ...acting })
  clearCache()
  window.location.assign('/account')
}

/** Makes the session act on an account, and shows it. Rejects with a `CallError`. */
export async function actOn(account: string): Promise<void> {
  const token = session.get()?.token
  if (token === undefined) return
  await callWith(token)('act_on_account', { account })
  await showActed(token)
}

let isShowing = false

// Another tab has changed the account, or the membership has ended.
onOtherAccount(() => {
  const token = session.get()?.token
  if (token === undefined || isShowing) return
  isShowing = true
  showActed(token)
    .catch((error: unknown) => logError('the account that the session acts on is not known', error))
    .finally(() => (isShowing = false))
})
