/** The signed-in user's profile, kept fresh while a page that shows it is open. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { query } from './api.ts'
import { session } from './session.ts'

const refreshMs = 5000

/** Reads the profile again and again into the session, which every screen shows. True while it cannot be read. */
export function useFreshProfile(): { stale: boolean } {
  const { data, isError } = useQuery({
    ...query('legacy_profile', {}),
    staleTime: 0,
    refetchInterval: refreshMs,
    refetchOnWindowFocus: true,
  })
  const profile = data?.[0]
  useEffect(() => {
    if (profile !== undefined) session.update(profile)
  }, [profile])
  return { stale: isError }
}
