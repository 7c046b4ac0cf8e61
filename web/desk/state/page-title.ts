import { useEffect } from 'react'
import { useSession } from './session.ts'

/** The title of the browser's tab. */
export function usePageTitle(title: string): void {
  const { brand } = useSession()
  useEffect(() => {
    document.title = `${title} · ${brand}`
  }, [title, brand])
}
