/** The signed-in member and their permissions. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { DeskName } from '#contract/desk/wire'
import { call, type DeskSession, query, setSession } from './api.ts'
import { mayCall } from './permissions.ts'

/** The state of the sign-in; read again when the window gets the focus, since a session can end by itself. */
export const useSessionQuery = () => useQuery({ ...query('session', {}), refetchOnWindowFocus: true })

export type Member = NonNullable<DeskSession['member']>

/** The session on pages that only signed-in members see. */
export function useSession(): DeskSession & { member: Member } {
  const { data } = useSuspenseQuery(query('session', {}))
  if (data.member === null) throw new Error('a page of members was shown to nobody')
  return { ...data, member: data.member }
}

/** Whether the signed-in member may make a call. */
export function useMay(): (name: DeskName) => boolean {
  const { member } = useSession()
  return (name) => mayCall(member.permissions, name)
}

export async function signOut(session: DeskSession): Promise<void> {
  await call('sign_out', {})
  setSession({ ...session, stage: 'signed_out', member: null, factors: [] })
}
