import { useQuery } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { useMay } from '../../state/team/team.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { PoolPicker, usePoolInAddress } from '../pool-picker.tsx'
import { MoveForm } from './move-form.tsx'
import styles from './moves-card.module.css'

/** The moves of a pool that is chosen. */
export function MovesTab({ user }: { user: Session }) {
  const { pool, choose } = usePoolInAddress(user)
  return (
    <>
      <PoolPicker user={user} value={pool} onChange={choose} />
      <div className={styles.below}>
        <MovesCard pool={pool} />
      </div>
    </>
  )
}

/** Gigabytes to give to another customer or to exchange between own pools, and the last moves. */
function MovesCard({ pool }: { pool: Pool }) {
  const { t } = useTranslation('moves')
  const mayMove = useMay('give_traffic')
  const { data, isError, refetch } = useQuery(query('get_moves', {}))
  if (data === undefined && !isError) return null
  return (
    <Card as="section" aria-label={t('title')} padding="large">
      <h2 className={styles.title}>{t('title')}</h2>
      <p className={styles.text}>{t('text')}</p>
      {data === undefined ? (
        <div className={styles.form}>
          <p>{t('loadFailed')}</p>
          <Button onClick={() => void refetch()}>{t('retry')}</Button>
        </div>
      ) : (
        <>
          {mayMove && <MoveForm key={pool} pool={pool} moves={data} />}
          <LastMoves rows={data.rows} />
        </>
      )}
    </Card>
  )
}

function LastMoves({ rows }: { rows: Output<'get_moves'>['rows'] }) {
  const { t } = useTranslation(['moves', 'header'])
  const language = useLanguage()
  const { traffic } = useFormat()
  if (rows.length === 0) return null
  const named = (pool: Pool, bytes: string) => `${traffic(BigInt(bytes))} · ${t(`header:pools.${pool}`)}`
  return (
    <>
      <h3 className={styles.subtitle}>{t('history')}</h3>
      <ul className={styles.rows}>
        {rows.map(({ at, kind, who, pool, bytes, to_pool: toPool, to_bytes: toBytes }, index) => (
          <li key={`${at} ${index}`} className={styles.row}>
            <span>{t(`row.${kind}`, { who: who ?? t('someone') })}</span>
            <span>
              {`${named(pool, bytes)}${kind === 'exchanged' ? ` → ${named(toPool, toBytes)}` : ''}`}
            </span>
            <span className={styles.quiet}>{formatDateTime(at, language)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
