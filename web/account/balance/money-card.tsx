import { useInfiniteQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { Output } from '#contract/contract'
import { invoiceHref } from '#contract/account-tabs'
import { call } from '../../state/api.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { pagesKey } from '../../state/reads/pages-key.ts'
import { useFormat } from '../../state/use-format.ts'
import { useMay } from '../../state/team/team.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatDateTime } from '../../ui/format-time.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ReadFailedCard } from '../read-failed.tsx'
import styles from './money-card.module.css'

const TopUpForm = lazyPart(async () => (await import('./top-up-form.tsx')).TopUpForm, 'purchase')

type Change = Output<'money_balance'>['history'][number]

/** The money balance: what is on it, a top-up, and its history. */
export function MoneyCard() {
  const { t } = useTranslation('money')
  const { usd } = useFormat()
  const mayPay = useMay('create_invoice_web')
  const [isOpen, setOpen] = useState(false)
  const read = useInfiniteQuery({
    queryKey: pagesKey('money_balance'),
    queryFn: ({ pageParam, signal }) =>
      call('money_balance', pageParam === null ? {} : { after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
  const first = read.data?.pages[0]
  if (first === undefined && read.isError) return <ReadFailedCard what={t('title')} read={read} />
  const changes = read.data?.pages.flatMap(({ history }) => history) ?? []
  return (
    <Card as="section" className={styles.card} aria-labelledby="money-balance">
      <div className={styles.head}>
        <h2 id="money-balance" className={styles.title}>
          {t('title')}
        </h2>
        <p className={styles.sum} translate="no">
          {first === undefined ? <Skeleton characters={8} /> : usd(first.balance_usd)}
        </p>
      </div>
      <p className={styles.text}>{t('text')}</p>
      {first !== undefined && first.withheld_usd > 0 && (
        <p className={styles.note}>{t('withheld', { sum: usd(first.withheld_usd) })}</p>
      )}
      {first !== undefined && first.owed_usd > 0 && (
        <p className={styles.note}>{t('owed', { sum: usd(first.owed_usd) })}</p>
      )}
      {mayPay && !isOpen && (
        <div className={styles.acts}>
          <Button variant="primary" onClick={() => setOpen(true)}>
            {t('topUp')}
          </Button>
          {first !== undefined && first.balance_usd > 0 && (
            <Button href="/purchase?method=balance">{t('buy')}</Button>
          )}
        </div>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <TopUpForm onClose={() => setOpen(false)} />
        </Suspense>
      )}
      {changes.length > 0 && (
        <details className={styles.history}>
          <summary>{t('history')}</summary>
          <ul className={styles.rows}>
            {changes.map((change) => (
              <ChangeRow key={change.id} change={change} />
            ))}
          </ul>
          {read.hasNextPage && (
            <Button
              size="small"
              className={styles.more}
              pending={read.isFetchingNextPage}
              onClick={() => void read.fetchNextPage()}
            >
              {t('more')}
            </Button>
          )}
        </details>
      )}
    </Card>
  )
}

function ChangeRow({ change: { at, kind, amount_usd: amount, invoice } }: { change: Change }) {
  const { t } = useTranslation('money')
  const { usd } = useFormat()
  const language = useLanguage()
  return (
    <li className={styles.row}>
      <span>{t(`change.${kind}`)}</span>
      <span className={classNames(styles.amount, amount > 0 && styles.in)} translate="no">
        {`${amount > 0 ? '+' : '−'}${usd(Math.abs(amount))}`}
      </span>
      <span className={styles.quiet}>{formatDateTime(at, language)}</span>
      {invoice !== null && <a href={invoiceHref(invoice)}>{t('invoice')}</a>}
    </li>
  )
}
