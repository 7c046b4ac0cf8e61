import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { CallError } from '#contract/client'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { tabHref } from '#contract/account-tabs'
import { InvoiceDetails } from './invoice-details.tsx'
import styles from './invoice-page.module.css'
import { pollIntervalMs } from './invoice-state.ts'

/** One invoice, read again until its state is final: payment pages lead back here. */
export function InvoicePage({ number }: { number: string }) {
  const { t } = useTranslation('userPanel')
  const { data, error, refetch } = useQuery({
    ...query('invoice', { number }),
    staleTime: 0,
    refetchInterval: ({ state }) => pollIntervalMs(state.data?.state),
    refetchOnWindowFocus: true,
  })
  useBalanceRefresh(data?.credited)
  if (data !== undefined) return <InvoiceDetails invoice={data} isOffline={error !== null} />
  const isUnknown = error instanceof CallError && error.status === 404
  if (error !== null) {
    return (
      <Card className={styles.message} role="status">
        <p className={styles.messageTitle}>{t(isUnknown ? 'invoices.unknown' : 'invoices.oneFailed')}</p>
        <p>{t(isUnknown ? 'invoices.unknownText' : 'invoices.oneFailedText')}</p>
        {isUnknown ? (
          <Button href={tabHref('invoices')}>{t('invoices.toAll')}</Button>
        ) : (
          <Button onClick={() => void refetch()}>{t('invoices.retry')}</Button>
        )}
      </Card>
    )
  }
  return (
    <Card className={styles.skeleton} aria-hidden="true">
      <Skeleton characters={18} />
      <Skeleton characters={40} />
      <Skeleton characters={32} />
    </Card>
  )
}

/** Reads the balance and the list of invoices again when traffic has been credited. */
function useBalanceRefresh(credited: number | string | undefined): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (credited === undefined || credited === 0) return
    void queries.invalidateQueries({ queryKey: ['legacy_profile'] })
    void queries.invalidateQueries({ queryKey: ['invoices'] })
  }, [credited, queries])
}
