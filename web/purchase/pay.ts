import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { CallError } from '#contract/client'
import type { Input } from '#contract/contract'
import { call } from '../app/api.ts'
import { useTranslation } from '../app/i18n.ts'
import type { Translate } from '../app/texts.ts'
import { toast } from '../app/toast.ts'

type Invoice = Input<'create_invoice_web'>

/** Where to pay: only an address that a browser may be sent to; anything else is not one. */
export function paymentAddress(text: string): string | null {
  const url = URL.parse(text.trim())
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}

interface Attempt {
  body: string
  key: string
}

/**
 * The idempotency key of a purchase. The same purchase sent again, after a lost answer or a double press, carries the
 * same key and so is made once.
 */
function useAttempt() {
  const attempt = useRef<Attempt | null>(null)
  return {
    keyOf(order: object): string {
      const body = JSON.stringify(order)
      if (attempt.current?.body !== body) attempt.current = { body, key: randomKey() }
      return attempt.current.key
    },
    done(error: unknown = null): void {
      // A refusal made nothing, so the next press is a new attempt; a lost answer may have made the purchase.
      if (error === null || (error instanceof CallError && error.status !== 0)) attempt.current = null
    },
  }
}

/** What to say when no invoice came of it: the server's sentence, where it has one of its own. */
export function payFault(error: unknown, method: string, t: Translate<'purchase'>): string {
  if (!(error instanceof CallError)) return t('paymentFailed')
  if (error.status === 501 && method === 'crypto') return t('cryptoUnavailable')
  return error.message === '' || error.code === 'unexpected_answer' ? t('paymentFailed') : error.message
}

/** Makes the invoice and goes to its payment page. */
export function usePay() {
  const { t } = useTranslation('purchase')
  const { keyOf, done } = useAttempt()

  const mutation = useMutation({
    mutationFn: async (invoice: Invoice) => {
      const answer = await call('create_invoice_web', invoice, { idempotencyKey: keyOf(invoice) })
      const address = paymentAddress(answer)
      if (address === null) throw new Error('the payment address is not an address')
      return address
    },
    onSuccess(address) {
      done()
      window.location.assign(address)
    },
    onError(error, invoice) {
      done(error)
      if (error instanceof CallError && error.status === 401) return
      toast.error(payFault(error, invoice.payment_method, t))
    },
  })
  const { reset } = mutation
  useEffect(() => {
    // Somebody who comes back with the browser's button finds the page as it was left, and may pay again.
    const comeBack = (event: PageTransitionEvent) => event.persisted && reset()
    window.addEventListener('pageshow', comeBack)
    return () => window.removeEventListener('pageshow', comeBack)
  }, [reset])
  // On success the page is on its way out: the button goes on showing so.
  return { pay: mutation.mutate, pending: mutation.isPending || mutation.isSuccess }
}

/** Pays from the referral balance; the traffic is there when the answer comes. */
export function usePayFromReferral() {
  const { t } = useTranslation('purchase')
  const { keyOf, done } = useAttempt()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const mutation = useMutation({
    mutationFn: async (order: Input<'referral_payment'>) => {
      const { ok } = await call('referral_payment', order, { idempotencyKey: keyOf(order) })
      if (!ok) throw new Error('the referral payment was not made')
    },
    async onSuccess() {
      done()
      toast.success(t('referralPaid'))
      void queries.invalidateQueries({ queryKey: ['legacy_profile'] })
      void queries.invalidateQueries({ queryKey: ['invoices'] })
      await navigate('/profile')
    },
    onError(error) {
      done(error)
      if (!(error instanceof CallError && error.status === 401)) toast.error(t('referralFailed'))
    },
  })
  return { payFromReferral: mutation.mutate, pending: mutation.isPending }
}

/** 128 random bits; `crypto.randomUUID` would need a secure page. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
