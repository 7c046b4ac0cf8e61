import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query, refreshAll } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { InvoiceState } from '../../subjects/invoice-state.tsx'
import type { Column } from '../../table/columns.ts'
import { PlainTable } from '../../table/plain-table.tsx'
import { FeeDialog, useFeeText } from './fee-dialog.tsx'
import styles from './payments.module.css'
import { TestPurchaseDialog } from './test-purchase.tsx'
import { Verdict } from './verdict.tsx'
import { useMethodName } from '../../subjects/method-name.ts'

type Processor = DeskOutput<'processors'>[number]

const freshMs = 60_000

/** The configured processors, the time of each one's last notification, and its latest verdicts. */
export function Processors() {
  const { t } = useTranslation('deskMoney')
  const processors = useQuery({ ...query('processors', {}), refetchInterval: freshMs })
  const [tested, setTested] = useState<Processor | null>(null)
  const [priced, setPriced] = useState<Processor | null>(null)
  const columns = useProcessorColumns(setTested, setPriced)
  const close = () => {
    setTested(null)
    void refreshAll()
  }
  return (
    <>
      {tested !== null && (
        <TestPurchaseDialog method={tested.method} asksEmail={tested.needs_receipt_email} onClose={close} />
      )}
      {priced !== null && <FeeDialog processor={priced} onClose={() => setPriced(null)} />}
      <Loaded query={processors}>
        {(rows) =>
          rows.length === 0 ? (
            <p className={styles.note}>{t('payments.noProcessors')}</p>
          ) : (
            <PlainTable
              table="processors"
              label={t('payments.tab.processors')}
              columns={columns}
              rows={rows}
              rowId={({ method }) => method}
            />
          )
        }
      </Loaded>
    </>
  )
}

function useProcessorColumns(
  onTest: (processor: Processor) => void,
  onFee: (processor: Processor) => void,
): readonly Column<Processor>[] {
  const { t } = useTranslation(['deskMoney', 'deskPages'])
  const { number } = useFigures()
  const methodName = useMethodName()
  const may = useMay()
  const feeText = useFeeText()
  const when = (at: string | null) =>
    at === null ? <span className={styles.note}>{t('payments.never')}</span> : <Moment iso={at} recent />
  return [
    {
      id: 'method',
      title: t('payments.processor'),
      fixed: true,
      phone: true,
      cell: ({ method }) => methodName(method),
    },
    {
      id: 'state',
      title: t('deskPages:column.state'),
      phone: true,
      cell: (row) =>
        row.needs_rate ? (
          <Badge tone="warning">{t('payments.needsRate')}</Badge>
        ) : row.is_set && !row.is_offered ? (
          <Badge tone="warning">{t('payments.notOffered')}</Badge>
        ) : (
          <Badge tone={row.is_set ? 'good' : 'quiet'}>
            {t(row.is_set ? 'payments.set' : 'payments.notSet')}
          </Badge>
        ),
    },
    { id: 'heard', title: t('payments.heard'), cell: (row) => when(row.heard_at) },
    { id: 'credited', title: t('payments.credited'), cell: (row) => when(row.credited_at) },
    { id: 'currency', title: t('payments.currency'), cell: ({ currency }) => currency },
    {
      id: 'refunds',
      title: t('payments.refundsColumn'),
      cell: (row) => t(row.refunds ? 'payments.byItself' : 'payments.byHand'),
    },
    {
      id: 'fee',
      title: t('fees.column'),
      cell: (row) => {
        const [terms] = row.fee_terms
        return (
          <div className={styles.test}>
            <span className={styles.note}>
              {row.reports_fees
                ? t('fees.reported')
                : terms === undefined
                  ? t('fees.unknown')
                  : feeText(terms)}
            </span>
            {row.is_set && !row.reports_fees && may('set_fee_terms') && (
              <Button size="small" onClick={() => onFee(row)}>
                {t('fees.set')}
              </Button>
            )}
          </div>
        )
      },
    },
    {
      id: 'test',
      title: t('test.column'),
      phone: true,
      cell: (row) => {
        const { test, is_set: isSet, needs_rate: needsRate } = row
        return (
          <div className={styles.test}>
            {test === null ? (
              <span className={styles.note}>{t('payments.never')}</span>
            ) : (
              <Link to={`/invoices/${test.number}`}>
                <InvoiceState state={test.state} disputed={false} /> <Moment iso={test.at} recent />
              </Link>
            )}
            {isSet && !needsRate && may('test_purchase') && (
              <Button size="small" onClick={() => onTest(row)}>
                {t('test.begin')}
              </Button>
            )}
          </div>
        )
      },
    },
    {
      id: 'owes',
      title: t('payments.owes'),
      numeric: true,
      cell: (row) => (
        <Link to={`/payments?tab=refunds&method=${row.method}`}>
          {`${number(row.refunds_due)} / ${number(row.refunds_failed)}`}
        </Link>
      ),
    },
    {
      id: 'counts',
      title: t('payments.counts'),
      cell: ({ method, verdicts }) => (
        <ul className={styles.verdicts}>
          {verdicts.map(({ verdict, count, last_at: lastAt }) => (
            <li key={verdict ?? ''}>
              <Verdict verdict={verdict} />{' '}
              <Link to={`/payments?method=${method}${verdict === null ? '' : `&verdict=${verdict}`}`}>
                {number(count)}
              </Link>{' '}
              <Moment iso={lastAt} recent />
            </li>
          ))}
        </ul>
      ),
    },
  ]
}
