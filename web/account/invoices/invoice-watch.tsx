import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { CallError } from '#contract/client'
import { query } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { tabHref } from '../tabs.ts'
import { InvoiceSheet } from './invoice-sheet.tsx'
import styles from './invoice-watch.module.css'
import { askAgainMs } from './standing.ts'

/** One invoice, asked for again and again until it is paid: the page people come back to from a payment. */
export function InvoiceWatch({ number }: { number: string }) {
  const { t } = useTranslation('userPanel')
  const { data, error, refetch } = useQuery({
    ...query('invoice', { number }),
    staleTime: 0,
    refetchInterval: ({ state }) => askAgainMs(state.data?.state),
    refetchOnWindowFocus: true,
  })
  useNews(data?.credited)
  if (data !== undefined) return <InvoiceSheet invoice={data} lost={error !== null} />
  const unknown = error instanceof CallError && error.status === 404
  if (error !== null) {
    return (
      <Card className={styles.message} role="status">
        <p className={styles.messageTitle}>{t(unknown ? 'invoices.unknown' : 'invoices.oneFailed')}</p>
        <p>{t(unknown ? 'invoices.unknownText' : 'invoices.oneFailedText')}</p>
        {unknown ? (
          <Button href={tabHref('invoices')}>{t('invoices.toAll')}</Button>
        ) : (
          <Button onClick={() => void refetch()}>{t('invoices.retry')}</Button>
        )}
      </Card>
    )
  }
  return (
    <Card className={styles.waiting} aria-hidden="true">
      <Skeleton characters={18} />
      <Skeleton characters={40} />
      <Skeleton characters={32} />
    </Card>
  )
}

/** Traffic that came makes the balance and the list old. */
function useNews(credited: number | string | undefined): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (credited === undefined || credited === 0) return
    void queries.invalidateQueries({ queryKey: ['legacy_profile'] })
    void queries.invalidateQueries({ queryKey: ['invoices'] })
  }, [credited, queries])
}
