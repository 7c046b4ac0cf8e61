import { useQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { downloadText } from '../../ui/download-text.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './usage-dialog.module.css'
import type { ProxyUser } from './user-form.ts'

interface UsageDialogProps {
  user: ProxyUser
  pool: Pool
  timeZone: string
  onClose: () => void
}

const days = 30

const csvOf = (rows: DaysProps['rows']) =>
  ['day,bytes,requests', ...rows.map((row) => `${row.day},${row.bytes},${row.requests}`), ''].join('\r\n')

/** What a proxy user used on each of the last thirty days. */
export function UsageDialog({ user, pool, timeZone, onClose }: UsageDialogProps) {
  const { t } = useTranslation('proxyUsers')
  const { traffic, number } = useFormat()
  const usage = useQuery(query('proxy_user_usage', { pool, number: user.number, days }))
  const description = t('usageText', { used: traffic(BigInt(user.used.total_bytes)), zone: timeZone })
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t('usageOf', { label: user.label })}
      description={usage.data === undefined ? undefined : description}
      closeLabel={t('close')}
    >
      {usage.isPending && <Skeleton characters={40} />}
      {usage.isError && (
        <div className={styles.failed} role="status">
          <p>{t('loadFailed')}</p>
          <Button onClick={() => void usage.refetch()}>{t('retry')}</Button>
        </div>
      )}
      {usage.data !== undefined && (
        <>
          <Days
            rows={usage.data.days.toReversed()}
            trafficOf={(bytes) => traffic(BigInt(bytes))}
            numberOf={number}
          />
          <Button
            size="small"
            className={styles.csv}
            icon={<Download size={16} aria-hidden="true" />}
            onClick={() => downloadText(`${user.login}.csv`, csvOf(usage.data.days), 'text/csv')}
          >
            {t('csv')}
          </Button>
        </>
      )}
    </Dialog>
  )
}

interface DaysProps {
  rows: readonly { day: string; bytes: number; requests: number }[]
  trafficOf: (bytes: number) => string
  numberOf: (value: number) => string
}

function Days({ rows, trafficOf, numberOf }: DaysProps) {
  const { t } = useTranslation('proxyUsers')
  const language = useLanguage()
  const date = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' })
  const most = Math.max(1, ...rows.map(({ bytes }) => bytes))
  return (
    <table className={styles.days}>
      <thead>
        <tr>
          <th scope="col">{t('dayOf')}</th>
          <th scope="col" className={styles.track}>
            <span className="sr-only">{t('share')}</span>
          </th>
          <th scope="col" className={styles.figure}>
            {t('traffic')}
          </th>
          <th scope="col" className={styles.figure}>
            {t('requests')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ day, bytes, requests }) => (
          <tr key={day} className={bytes === 0 && requests === 0 ? styles.idle : undefined}>
            <th scope="row" className={styles.day}>
              {date.format(new Date(`${day}T00:00:00Z`))}
            </th>
            <td className={styles.track}>
              <span className={styles.bar} style={{ width: `${(bytes / most) * 100}%` }} />
            </td>
            <td className={`${styles.figure} mono`}>{trafficOf(bytes)}</td>
            <td className={`${styles.figure} mono`}>{numberOf(requests)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
