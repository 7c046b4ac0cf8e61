import { useEffect, useState } from 'react'
import { toast, toastMs } from '../../state/toast.ts'

/**
 * Why a form failed: first as a notification, and in the form once that has gone, so that the reason stays without being on
 * the screen twice.
 */
export function useFailure() {
  const [failure, setFailure] = useState<{ text: string; stays: boolean } | null>(null)
  useEffect(() => {
    if (failure === null || failure.stays) return
    const timer = setTimeout(() => setFailure({ ...failure, stays: true }), toastMs)
    return () => clearTimeout(timer)
  }, [failure])
  return {
    failure: failure?.stays === true ? failure.text : null,
    fail: (text: string) => {
      toast.error(text)
      setFailure({ text, stays: false })
    },
    clear: () => setFailure(null),
  }
}
