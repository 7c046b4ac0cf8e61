import { useState } from 'react'
import { toast } from '../../state/toast.ts'

/** The error of a form, shown in the form and as a notification. */
export function useFailure() {
  const [failure, setFailure] = useState<string | null>(null)
  return {
    failure,
    fail: (text: string) => {
      toast.error(text)
      setFailure(text)
    },
    clear: () => setFailure(null),
  }
}
