import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { CallError } from '#contract/client'
import type { Input } from '#contract/contract'
import { methodTitle, topUpUsd } from '#contract/invoices'
import { call, isSignedOut } from '../../state/api.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { isUnanswered, mayBeDone, useOrderKeys } from '../../state/orders/order-keys.ts'
import { useUnsureOrder } from '../../state/orders/unsure-order.ts'
import type { Translate } from '../../state/text-keys.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { methodsQuery } from '../purchase/methods-query.ts'
import { isNotOffered, paymentUrl } from '../purchase/payment-answer.ts'
import { ReceiptField, useReceiptAddress } from '../purchase/receipt-field.tsx'
import { useRestored } from '../purchase/use-restored.ts'
import { ReadFailed } from '../read-failed.tsx'
import styles from './money-card.module.css'

/** The whole dollars of a typed amount; null: it is none that can be paid in. */
function dollarsIn(text: string): number | null {
  const typed = text.trim()
  const amount = /^\d{1,6}$/.test(typed) ? Number(typed) : 0
  return amount >= topUpUsd.least && amount <= topUpUsd.most ? amount : null
}

/** `isSame`: the next press sends the unanswered order again. */
function failureText(error: unknown, isSame: boolean, t: Translate<'money'>): string {
  if (isUnanswered(error)) return t(isSame ? 'unsure' : 'unsureEdited')
  return error instanceof CallError && error.message !== '' ? error.message : t('failed')
}

/** Makes an invoice for money on the balance and opens its payment page. */
export function TopUpForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('money')
  const { usd } = useFormat()
  const language = useLanguage()
  const keys = useOrderKeys()
  const queries = useQueryClient()
  const read = useQuery(methodsQuery(language))
  const methods = read.data?.filter(({ unavailable }) => unavailable === undefined)
  const [text, setText] = useState('100')
  const [chosen, setMethod] = useState<string | null>(null)
  const [isSubmitted, setSubmitted] = useState(false)
  const method = methods?.find(({ name }) => name === chosen)?.name ?? methods?.[0]?.name ?? null
  const receipt = useReceiptAddress(method)
  const amount = dollarsIn(text)
  const bounds = { least: usd(topUpUsd.least), most: usd(topUpUsd.most) }
  const unsure = useUnsureOrder<Input<'create_balance_invoice'>>()
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    onMutate: unsure.sent,
    mutationFn: async (order: Input<'create_balance_invoice'>) => {
      const answer = await call('create_balance_invoice', order, { idempotencyKey: keys.keyOf(order) })
      const url = paymentUrl(answer.payment_url ?? '')
      if (url === null) throw new Error('the answer has no payment page')
      return url
    },
    onSuccess: (url, order) => {
      keys.done(order)
      unsure.forget()
      window.location.assign(url)
    },
    onError: (failure, order) => {
      if (isUnanswered(failure)) {
        unsure.remember(order)
        void queries.invalidateQueries({ queryKey: ['invoices'] })
      } else if (!mayBeDone(failure)) unsure.forget()
      if (isNotOffered(failure)) void queries.invalidateQueries({ queryKey: ['payment_systems'] })
    },
  })
  useRestored(reset)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setSubmitted(true)
    if (unsure.order !== null) return mutate(unsure.order)
    if (amount === null || method === null || (receipt.isNeeded && !receipt.isValid)) return
    const address = receipt.forOrder === undefined ? {} : { receipt_email: receipt.forOrder }
    mutate({ payment_method: method, amount_usd: amount, ...address })
  }
  if (methods === undefined && read.isError)
    return <ReadFailed what={t('method')} pending={read.isFetching} onRetry={() => void read.refetch()} />
  if (methods?.length === 0) return <p className={styles.text}>{t('noMethods')}</p>
  return (
    <form className={styles.form} onSubmit={submit} onChange={unsure.edited} noValidate>
      <TextField
        label={t('amount')}
        hint={t('amountHint', bounds)}
        error={isSubmitted && amount === null ? t('badAmount', bounds) : undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
        inputMode="numeric"
        autoComplete="off"
        maxLength={6}
      />
      <SelectField
        label={t('method')}
        value={method ?? ''}
        options={(methods ?? []).map(({ name, title }) => ({
          value: name,
          label: title ?? methodTitle(name, language),
        }))}
        onChange={setMethod}
      />
      {receipt.isNeeded && <ReceiptField address={receipt} isSubmitted={isSubmitted} />}
      {error !== null && !isSignedOut(error) && (
        <p role="alert">{failureText(error, unsure.order !== null, t)}</p>
      )}
      <div className={styles.acts}>
        <Button type="submit" variant="primary" pending={isPending || isSuccess}>
          {amount === null ? t('payNone') : t('pay', { sum: usd(amount) })}
        </Button>
        <Button onClick={onClose}>{t('cancel')}</Button>
      </div>
    </form>
  )
}
