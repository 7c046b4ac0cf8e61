import { useEffect } from 'react'

/** Calls back when the browser shows the page again from its back/forward cache: it can pay again. */
export function useRestored(restore: () => void): void {
  useEffect(() => {
    const handlePageShow = (event: PageTransitionEvent) => {
      if (event.persisted) restore()
    }
    window.addEventListener('pageshow', handlePageShow)
    return () => window.removeEventListener('pageshow', handlePageShow)
  }, [restore])
}
