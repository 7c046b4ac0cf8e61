import { useEffect } from 'react'
import { Navigate, useLocation } from 'react-router'
import { hasSignedOut, keepLeftPlace } from '../state/destination.ts'
import { useLocalPath } from '../state/language.ts'

/**
 * For a page whose session has ended, here or in another tab: to /login, and from there back to where one
 * was. After signing out here, to the home page.
 */
export function ToSignIn() {
  const location = useLocation()
  useEffect(() => keepLeftPlace(location), [location])
  const home = useLocalPath()('/')
  return <Navigate to={hasSignedOut() ? home : '/login'} replace />
}
