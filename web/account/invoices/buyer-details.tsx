import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Output } from '#contract/contract'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useMay } from '../../state/team/team.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ReadFailedCard } from '../read-failed.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './documents.module.css'

type Details = Output<'buyer_details'>

/** The buyer's details on documents; all empty: only the account. */
export function BuyerDetails() {
  const { t } = useTranslation('userPanel')
  const asked = query('buyer_details', {})
  const read = useQuery(asked)
  const { data } = read
  const [typed, setTyped] = useState<Details | null>(null)
  const mayChange = useMay('set_buyer_details')
  const save = useMutation({
    mutationFn: (details: Details) => call('set_buyer_details', details),
    onSuccess(kept) {
      queryClient.setQueryData(asked.queryKey, kept)
      setTyped(null)
      toast.success(t('invoices.buyer.saved'))
    },
    onError: (error) => toastFailure(error, t('invoices.buyer.failed')),
  })
  if (data === undefined)
    return read.isError ? <ReadFailedCard what={t('invoices.buyer.title')} read={read} /> : null
  const value = typed ?? data
  const field = (name: keyof Details, label: string, maxLength: number, autoComplete: string) => (
    <TextField
      label={label}
      value={value[name]}
      disabled={!mayChange}
      maxLength={maxLength}
      autoComplete={autoComplete}
      onChange={({ target }) => setTyped({ ...value, [name]: target.value })}
    />
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(value)
  }
  return (
    <Card as="section" className={styles.card} aria-labelledby="buyer-details">
      <h2 id="buyer-details" className={styles.title}>
        {t('invoices.buyer.title')}
      </h2>
      <p className={styles.about}>{t('invoices.buyer.about')}</p>
      <form className={styles.form} onSubmit={submit} noValidate>
        {field('name', t('invoices.buyer.name'), 200, 'organization')}
        {field('address', t('invoices.buyer.address'), 300, 'street-address')}
        {field('tax_id', t('invoices.buyer.taxId'), 60, 'off')}
        {mayChange && (
          <div>
            <Button type="submit" disabled={typed === null} pending={save.isPending}>
              {t('invoices.buyer.save')}
            </Button>
          </div>
        )}
      </form>
    </Card>
  )
}
