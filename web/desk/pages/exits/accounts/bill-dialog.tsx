import { useToldRead } from '../../../state/told-read.ts'
import { useMemo } from 'react'
import { useTranslation } from '../../../../state/i18n.ts'
import { Dialog } from '../../../../ui/dialog.tsx'
import { Badge } from '../../../parts/badge.tsx'
import { useFigures } from '../../../parts/use-figures.ts'
import { query } from '../../../state/api.ts'
import type { Column } from '../../../table/columns.ts'
import { List, type RowOf } from '../../../table/list.tsx'
import type { Account } from './opened.ts'
import styles from './accounts.module.css'

/** The seller's bill compared with our count, by day. */
export function BillDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation(['deskSellers', 'desk'])
  const { traffic, trafficChange, language } = useFigures()
  const sellers = useToldRead(query('sellers', {}))
  const meter = sellers.data?.find(({ name }) => name === account.seller)?.meter ?? null
  const columns = useMemo((): readonly Column<RowOf<'seller_bill'>>[] => {
    const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 })
    return [
      {
        id: 'day',
        title: t('sellers.day'),
        fixed: true,
        phone: true,
        cell: ({ day }) => day,
      },
      {
        id: 'theirs',
        title: t('sellers.theirs'),
        numeric: true,
        phone: true,
        cell: (row) => (
          <>
            <span>{row.their_bytes === null ? t('sellers.untold') : traffic(row.their_bytes)}</span>
            {row.by_balance && <span className={styles.second}>{t('sellers.byBalance')}</span>}
          </>
        ),
      },
      {
        id: 'ours',
        title: t('sellers.ours'),
        numeric: true,
        phone: true,
        cell: (row) => traffic(row.our_bytes),
      },
      {
        id: 'difference',
        title: t('sellers.difference'),
        numeric: true,
        phone: true,
        cell: ({ difference_bytes: difference, our_bytes: ours, complete, differs, unclear }) => (
          <>
            {difference !== null && <span>{trafficChange(difference)}</span>}
            {difference !== null && ours !== '0' && (
              <span className={styles.second}>
                {share.format(Math.abs(Number(difference)) / Number(ours))}
              </span>
            )}
            {!complete && (
              <span className={styles.second}>
                {t(unclear === null ? 'sellers.incomplete' : `sellers.unclear.${unclear}`)}
              </span>
            )}
            {differs && (
              <span className={styles.second}>
                <Badge tone="bad">{t('sellers.differs')}</Badge>
              </span>
            )}
          </>
        ),
      },
    ]
  }, [t, traffic, trafficChange, language])
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t('sellers.billTitle', { name: account.label })}
      description={[
        t('sellers.billNote', { counts: t(`sellers.countsOf.${account.counts}`) }),
        ...(meter === null ? [] : [t(`sellers.meterNote.${meter}`)]),
      ].join(' ')}
      closeLabel={t('desk:close')}
    >
      <List
        call="seller_bill"
        label={t('sellers.billColumn')}
        filters={useMemo(() => ({ id: account.id }), [account.id])}
        columns={columns}
        rowId={({ day }) => day}
        empty={<p>{t('sellers.billNone')}</p>}
      />
    </Dialog>
  )
}
