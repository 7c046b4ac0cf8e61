import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { query } from './queries.ts'
import { session } from '../session.ts'

const intervalMs = 5000

/**
 * Reads the profile of the signed-in user every five seconds and stores it in the session; true while it
 * cannot be read.
 */
export function useProfilePolling(): boolean {
  const { data, isError } = useQuery({
    ...query('legacy_profile', {}),
    staleTime: 0,
    refetchInterval: intervalMs,
    refetchOnWindowFocus: true,
  })
  const profile = data?.[0]
  useEffect(() => {
    if (profile !== undefined) session.update(profile)
  }, [profile])
  return isError
}
