import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { isEmail } from '#contract/account-rules'
import { CallError } from '#contract/client'
import { isSignedOut } from '../../state/api.ts'
import { needsProof } from '../proof/proof.ts'

interface EmailFormOptions {
  /** Sends the address. */
  send: (email: string) => Promise<unknown>
  onSent: () => void
  /** The error of a text that is no address. */
  invalid: string
  /** The error when the server gave no reason. */
  failed: string
}

/** A form with one e-mail address, which is sent with the owner's proof; its error stands at the field. */
export function useEmailForm({ send, onSent, invalid, failed }: EmailFormOptions) {
  const [email, setEmail] = useState('')
  const [error, setError] = useState<string>()
  const { mutate, isPending } = useMutation({
    mutationFn: () => send(email.trim()),
    onSuccess: onSent,
    onError: (fault) => {
      if (isSignedOut(fault) || needsProof(fault)) return
      setError(fault instanceof CallError ? fault.message : failed)
    },
  })
  const type = (text: string) => {
    setEmail(text)
    setError(undefined)
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isPending) return
    if (isEmail(email.trim())) mutate()
    else setError(invalid)
  }
  return { email, error, type, submit, isPending }
}
