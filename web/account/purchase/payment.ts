import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { CallError } from '#contract/client'
import type { Input } from '#contract/contract'
import { call, isSignedOut } from '../../state/api.ts'
import { useOrderKeys } from '../../state/orders/order-keys.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Translate } from '../../state/text-keys.ts'
import { toast } from '../../state/toast.ts'
import { isNotOffered, paymentUrl } from './payment-answer.ts'

type Invoice = Input<'create_invoice_web'>

/** The message for a failed order: the sentence of the server where it sent one. */
export function paymentErrorText(error: unknown, method: string, t: Translate<'purchase'>): string {
  if (!(error instanceof CallError)) return t('paymentFailed')
  if (error.status === 501 && method === 'crypto') return t('cryptoUnavailable')
  return error.message === '' || error.code === 'unexpected_answer' ? t('paymentFailed') : error.message
}

/** Whether the page that asked is still on the screen: an answer that arrives later leads nowhere. */
function useIsHere() {
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return isHere
}

/** Creates an invoice and opens its payment page. */
export function usePayment() {
  const { t } = useTranslation('purchase')
  const keys = useOrderKeys()
  const isHere = useIsHere()
  const queries = useQueryClient()

  const mutation = useMutation({
    mutationFn: async (invoice: Invoice) => {
      const answer = await call('create_invoice_web', invoice, { idempotencyKey: keys.keyOf(invoice) })
      const url = paymentUrl(answer)
      if (url === null) throw new Error('the answer is not a payment URL')
      return url
    },
    onSuccess(url, invoice) {
      keys.done(invoice)
      if (isHere.current) window.location.assign(url)
      else toast.info(t('invoiceWaits'))
    },
    onError(error, invoice) {
      if (isSignedOut(error)) return
      // The list is older than the shop's change.
      if (isNotOffered(error)) void queries.invalidateQueries({ queryKey: ['payment_systems'] })
      toast.error(paymentErrorText(error, invoice.payment_method, t))
    },
  })
  const { reset } = mutation
  useEffect(() => {
    // A page restored from the back/forward cache can pay again.
    const handlePageShow = (event: PageTransitionEvent) => event.persisted && reset()
    window.addEventListener('pageshow', handlePageShow)
    return () => window.removeEventListener('pageshow', handlePageShow)
  }, [reset])
  // After success the browser is leaving the page: the button stays pending.
  return { pay: mutation.mutate, pending: mutation.isPending || mutation.isSuccess }
}

/** Pays from a balance of the customer. The traffic is credited when the call has answered. */
export function useBalancePayment(name: 'referral_payment' | 'buy') {
  const { t } = useTranslation('purchase')
  const keys = useOrderKeys()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const mutation = useMutation({
    mutationFn: async (order: Input<'referral_payment'>) => {
      await call(name, order, { idempotencyKey: keys.keyOf(order) })
    },
    async onSuccess(_answer, order) {
      keys.done(order)
      toast.success(t(name === 'buy' ? 'balancePaid' : 'referralPaid'))
      void queries.invalidateQueries({ queryKey: ['legacy_profile'] })
      void queries.invalidateQueries({ queryKey: ['invoices'] })
      void queries.invalidateQueries({ queryKey: ['money_balance'] })
      if (isHere.current) await navigate('/profile')
    },
    onError(error) {
      if (isSignedOut(error)) return
      toast.error(t(name === 'buy' ? 'balanceFailed' : 'referralFailed'))
    },
  })
  return { pay: mutation.mutate, pending: mutation.isPending }
}
