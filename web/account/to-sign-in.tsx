import { useEffect } from 'react'
import { Navigate, useLocation } from 'react-router'
import { keepLeftPlace } from '../state/destination.ts'

/**
 * For a page whose session has ended, here or in another tab: to /login, and from there back to where one
 * was.
 */
export function ToSignIn() {
  const location = useLocation()
  useEffect(() => keepLeftPlace(location), [location])
  return <Navigate to="/login" replace />
}
