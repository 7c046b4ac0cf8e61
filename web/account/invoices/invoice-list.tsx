import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { Link } from 'react-router'
import { listedInvoices } from '#contract/invoices'
import { bytesFromWire } from '#contract/traffic'
import { call } from '../../state/api.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { pagesKey } from '../../state/reads/pages-key.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useRoleAllows } from '../../state/team/team.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { GoodsIcon } from './goods-icon.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { invoiceHref } from '#contract/account-tabs'
import styles from './invoice-list.module.css'
import { formatFrozen, type Invoice } from './invoice-state.ts'
import { StateBadge } from './state-badge.tsx'

const intervalMs = 10_000
const listKey = pagesKey('invoices')

/** The invoices in every state, the latest first. */
export function InvoiceList() {
  const { t } = useTranslation('userPanel')
  const mayBuy = useRoleAllows('create_invoice_web')
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: listKey,
    queryFn: ({ signal, pageParam }) => call('invoices', pageParam, { signal }),
    initialPageParam: {},
    getNextPageParam: (page) => (page.length < listedInvoices ? undefined : { before: page.at(-1)?.number }),
    staleTime: 0,
  })
  useFirstPage(data?.pages[0])
  if (data === undefined) {
    return isError ? (
      <Card className={styles.message} role="status">
        <p>{t('invoices.failed')}</p>
        <Button onClick={() => void refetch()}>{t('invoices.retry')}</Button>
      </Card>
    ) : (
      <ListSkeleton />
    )
  }
  const invoices = data.pages.flat()
  if (invoices.length === 0) {
    return (
      <Card className={styles.message}>
        <p className={styles.emptyTitle}>{t('invoices.empty')}</p>
        {mayBuy && (
          <>
            <p>{t('invoices.emptyText')}</p>
            <Button variant="primary" href="/purchase">
              {t('pool.buy')}
            </Button>
          </>
        )}
      </Card>
    )
  }
  return (
    <>
      <ul className={styles.list} aria-label={t('invoices.list')}>
        {invoices.map((invoice) => (
          <Row key={invoice.number} invoice={invoice} />
        ))}
      </ul>
      {hasNextPage && (
        <Button className={styles.more} disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('invoices.more')}
        </Button>
      )}
    </>
  )
}

/**
 * Reads the first page again while one of its invoices may change; the others, which are older, stay as they
 * were read.
 */
function useFirstPage(shown: Invoice[] | undefined): void {
  const isWaiting = shown?.some(({ state }) => state === 'pending' || state === 'underpaid') === true
  const fresh = useOptionalRead<Invoice[], Error, Invoice[], readonly string[]>({
    queryKey: ['invoices', 'first page'],
    queryFn: ({ signal }) => call('invoices', {}, { signal }),
    enabled: isWaiting,
    ...(shown !== undefined && { initialData: shown }),
    staleTime: intervalMs,
    gcTime: 0,
    refetchInterval: intervalMs,
  })
  useEffect(() => {
    if (fresh === undefined) return
    queryClient.setQueryData<InfiniteData<Invoice[]>>(listKey, (known) => {
      if (known === undefined || known.pages[0] === fresh) return known
      // A new invoice moves the pages: then all are read again.
      if (known.pages[0]?.at(-1)?.number !== fresh.at(-1)?.number) {
        void queryClient.invalidateQueries({ queryKey: listKey })
        return known
      }
      return { ...known, pages: [fresh, ...known.pages.slice(1)] }
    })
  }, [fresh])
}

function Row({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['userPanel', 'header'])
  const language = useLanguage()
  const { usd, number, traffic } = useFormat()
  const credited = bytesFromWire(invoice.credited)
  const shown = invoice.shown ?? invoice.charged
  return (
    <li className={styles.item}>
      <Link to={invoiceHref(invoice.number)} className={styles.row}>
        <GoodsIcon
          goods={invoice.pool}
          size={24}
          {...(styles.icon === undefined ? {} : { className: styles.icon })}
        />
        <span className={styles.order}>
          <span className={styles.pool}>
            {invoice.pool === 'balance'
              ? t('header:pools.balance')
              : `${t(`header:pools.${invoice.pool}`)}, ${t('invoices.gb', { formatted: number(invoice.gb) })}`}
          </span>
          <span className={styles.note} translate="no">
            {`${invoice.short_number} · ${formatDateTime(invoice.created_at, language)}`}
          </span>
        </span>
        <span className={styles.state}>
          <StateBadge state={invoice.state} />
          {invoice.state !== 'paid' && credited > 0n && (
            <span className={styles.note}>{t('invoices.creditedShort', { traffic: traffic(credited) })}</span>
          )}
        </span>
        <span className={styles.cost}>
          <span translate="no">{usd(invoice.cost_usd)}</span>
          {shown !== null && (
            <span className={classNames(styles.note, styles.other)}>
              {`${invoice.shown === null ? '' : '≈\u00a0'}${formatFrozen(shown, language)}`}
            </span>
          )}
        </span>
        <ChevronRight size={20} aria-hidden="true" className={styles.chevron} />
      </Link>
    </li>
  )
}

function ListSkeleton() {
  return (
    <div className={styles.list} aria-hidden="true">
      {[0, 1, 2].map((row) => (
        <div key={row} className={styles.item}>
          <div className={styles.row}>
            <Skeleton characters={40} />
          </div>
        </div>
      ))}
    </div>
  )
}
