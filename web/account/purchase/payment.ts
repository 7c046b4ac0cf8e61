import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { CallError } from '#contract/client'
import type { Input } from '#contract/contract'
import { balanceMethod, referralMethod } from '#contract/invoices'
import { call, isSignedOut } from '../../state/api.ts'
import { isUnanswered, mayBeDone, useOrderKeys } from '../../state/orders/order-keys.ts'
import { useUnsureOrder } from '../../state/orders/unsure-order.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Translate } from '../../state/text-keys.ts'
import { toast } from '../../state/toast.ts'
import { isNotOffered, paymentUrl } from './payment-answer.ts'
import { useRestored } from './use-restored.ts'

type Invoice = Input<'create_invoice_web'>
type Order = Input<'buy'>

/** The message for a failed order: the sentence of the server where it sent one. */
export function paymentErrorText(error: unknown, method: string, t: Translate<'purchase'>): string {
  if (!(error instanceof CallError)) return t('paymentFailed')
  if (error.status === 501 && method === 'crypto') return t('cryptoUnavailable')
  return error.message === '' || error.code === 'unexpected_answer' ? t('paymentFailed') : error.message
}

const isOffline = (error: unknown): error is CallError =>
  error instanceof CallError && error.code === 'offline'

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

/** Reads again what an order changes. */
function refresh(queries: QueryClient): void {
  for (const name of ['legacy_profile', 'invoices', 'money_balance'])
    void queries.invalidateQueries({ queryKey: [name] })
}

/** Creates an invoice and opens its payment page. */
function usePayment() {
  const { t } = useTranslation('purchase')
  const keys = useOrderKeys()
  const isHere = useIsHere()
  const queries = useQueryClient()
  const unsure = useUnsureOrder<Invoice>()

  const mutation = useMutation({
    onMutate: unsure.sent,
    mutationFn: async (invoice: Invoice) => {
      const answer = await call('create_invoice_web', invoice, { idempotencyKey: keys.keyOf(invoice) })
      const url = paymentUrl(answer)
      if (url === null) throw new Error('the answer is not a payment URL')
      return url
    },
    onSuccess(url, invoice) {
      keys.done(invoice)
      unsure.forget()
      if (isHere.current) window.location.assign(url)
      else toast.info(t('invoiceWaits'))
    },
    onError(error, invoice) {
      if (isSignedOut(error)) return
      // The list is older than the shop's change.
      if (isNotOffered(error)) void queries.invalidateQueries({ queryKey: ['payment_systems'] })
      if (isUnanswered(error)) {
        refresh(queries)
        if (!unsure.remember(invoice) || !isHere.current) toast.error(t('unsureEdited'))
        return
      }
      if (!mayBeDone(error)) unsure.forget()
      toast.error(paymentErrorText(error, invoice.payment_method, t))
    },
  })
  useRestored(mutation.reset)
  return {
    pay: mutation.mutate,
    // After success the browser is leaving the page: the button stays pending.
    pending: mutation.isPending || mutation.isSuccess,
    again: unsure.order === null ? null : mutation.mutate.bind(null, unsure.order),
    edited: unsure.edited,
  }
}

/** Pays from a balance of the customer. The traffic is credited when the call has answered. */
function useBalancePayment(name: 'referral_payment' | 'buy') {
  const { t } = useTranslation('purchase')
  const keys = useOrderKeys()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const unsure = useUnsureOrder<Order>()
  const mutation = useMutation({
    onMutate: unsure.sent,
    mutationFn: async (order: Order) => {
      await call(name, order, { idempotencyKey: keys.keyOf(order) })
    },
    async onSuccess(_answer, order) {
      keys.done(order)
      unsure.forget()
      toast.success(t(name === 'buy' ? 'balancePaid' : 'referralPaid'))
      refresh(queries)
      if (isHere.current) await navigate('/profile')
    },
    onError(error, order) {
      if (isSignedOut(error)) return
      // Nothing was sent: what is known of an earlier attempt stays.
      if (isOffline(error)) toast.error(error.message)
      else if (mayBeDone(error)) {
        refresh(queries)
        if (!unsure.remember(order) || !isHere.current) toast.error(t('unsureEdited'))
      } else {
        unsure.forget()
        toast.error(t(name === 'buy' ? 'balanceFailed' : 'referralFailed'))
      }
    },
  })
  return {
    pay: mutation.mutate,
    pending: mutation.isPending,
    again: unsure.order === null ? null : mutation.mutate.bind(null, unsure.order),
    edited: unsure.edited,
  }
}

/** The ways to pay an order: at a payment page, or from a balance of the customer. */
export function usePayments() {
  const byProcessor = usePayment()
  const fromReferral = useBalancePayment('referral_payment')
  const fromBalance = useBalancePayment('buy')
  const ways = [byProcessor, fromReferral, fromBalance]
  return {
    /** `terms` are those of an invoice. */
    pay: (method: string, order: Order, terms: Pick<Invoice, 'receipt_email' | 'save_consent'>) => {
      if (method === referralMethod) fromReferral.pay(order)
      else if (method === balanceMethod) fromBalance.pay(order)
      else byProcessor.pay({ payment_method: method, ...order, ...terms })
    },
    pending: ways.some(({ pending }) => pending),
    /** Sends the order again of which it is not known whether it was made; null: there is none. */
    again: ways.find(({ again }) => again !== null)?.again ?? null,
    /** To be called when the customer changes the order. */
    edited: () => ways.forEach(({ edited }) => edited()),
  }
}
