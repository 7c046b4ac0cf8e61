import { Link } from 'react-router'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { roleAllows } from '../../state/team/team.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatTraffic } from '../../ui/format.ts'
import { Odometer } from '../../ui/odometer.tsx'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import { ExactBytes } from '../exact-bytes.tsx'
import { useSitePools } from '../../state/places/sold-pools.ts'
import { balanceOf, useShownPools } from '../profile.ts'
import styles from './balances.module.css'

/** With a rate so low that the traffic lasts longer, no estimate is shown. */
const mostHours = 24 * 365

/** The balance of each pool on sale and of those that the customer has or had traffic in, and how long it lasts at the rate of the last day. */
export function Balances({ user, day }: { user: Session; day: Output<'get_overview'> | undefined }) {
  const { t } = useTranslation('userBtns')
  return (
    <section className={styles.board} aria-label={t('balances')}>
      {useShownPools(user).map((pool) => (
        <Counter
          key={pool}
          user={user}
          pool={pool}
          bytes={balanceOf(user, pool)}
          hoursLeft={day?.pools.find((each) => each.pool === pool)?.hours_left ?? null}
        />
      ))}
    </section>
  )
}

interface CounterProps {
  user: Session
  pool: Pool
  bytes: bigint
  hoursLeft: number | null
}

function Counter({ user, pool, bytes, hoursLeft }: CounterProps) {
  const { t } = useTranslation(['userBtns', 'header', 'requests'])
  const isSold = useSitePools().sold.includes(pool)
  const language = useLanguage()
  const name = t(`header:pools.${pool}`)
  const text = formatTraffic(bytes, language)
  const [figure, unit] = text.split(/\s(?=\S+$)/)
  const isEmpty = bytes <= 0n
  return (
    <div className={styles.counter}>
      <h2 className={styles.name}>
        <PoolIcon pool={pool} size={22} />
        <span>{name}</span>
      </h2>
      <p className={classNames(styles.balance, !isEmpty && styles.live)}>
        <span className="sr-only">{text}</span>
        <span aria-hidden="true" className={styles.figures}>
          <Odometer value={figure ?? text} />
          <span className={styles.unit}>{unit}</span>
        </span>
        <span className={styles.exact}>
          <ExactBytes bytes={bytes} />
        </span>
      </p>
      {!isEmpty && hoursLeft !== null && hoursLeft < mostHours && (
        <p className={styles.left}>
          {hoursLeft < 48
            ? t('requests:overview.leftHours', { count: hoursLeft })
            : t('requests:overview.leftDays', { count: Math.floor(hoursLeft / 24) })}
        </p>
      )}
      <p className={styles.links}>
        {!isEmpty && roleAllows(user, 'get_proxy') && (
          <Link
            to={`/account?tab=panel&pool=${pool}`}
            className={styles.link}
            aria-label={t('userBtns:generateInPool', { pool: name })}
          >
            {t('userBtns:generateIn')}
          </Link>
        )}
        {isSold && roleAllows(user, 'create_invoice_web') && (
          <Link
            to={`/purchase?pool=${pool}`}
            className={styles.link}
            aria-label={t('userBtns:buyInPool', { pool: name })}
          >
            {t('userBtns:buyIn')}
          </Link>
        )}
      </p>
    </div>
  )
}
