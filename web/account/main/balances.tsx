import { Link } from 'react-router'
import { type Pool, pools } from '#contract/wire'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatTraffic } from '../../ui/format.ts'
import { Odometer } from '../../ui/odometer.tsx'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import { balanceOf } from '../profile.ts'
import styles from './balances.module.css'

/** The balance of each pool. */
export function Balances({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  return (
    <section className={styles.board} aria-label={t('balances')}>
      {pools.map((pool) => (
        <Counter key={pool} pool={pool} bytes={balanceOf(user, pool)} />
      ))}
    </section>
  )
}

function Counter({ pool, bytes }: { pool: Pool; bytes: bigint }) {
  const { t } = useTranslation(['userBtns', 'header'])
  const language = useLanguage()
  const name = t(`header:pools.${pool}`)
  const text = formatTraffic(bytes, language)
  const [figure, unit] = text.split(/\s(?=\S+$)/)
  const isEmpty = bytes <= 0n
  return (
    <div className={styles.counter}>
      <h2 className={styles.name}>
        <PoolIcon pool={pool} size={22} />
        {name}
      </h2>
      <p className={classNames(styles.balance, !isEmpty && styles.live)}>
        <span className="sr-only">{text}</span>
        <span aria-hidden="true" className={styles.figures}>
          <Odometer value={figure ?? text} />
          <span className={styles.unit}>{unit}</span>
        </span>
      </p>
      <p className={styles.links}>
        {!isEmpty && (
          <Link
            to={`/account?tab=panel&pool=${pool}`}
            className={styles.link}
            aria-label={t('userBtns:generateInPool', { pool: name })}
          >
            {t('userBtns:generateIn')}
          </Link>
        )}
        <Link
          to={`/purchase?pool=${pool}`}
          className={styles.link}
          aria-label={t('userBtns:buyInPool', { pool: name })}
        >
          {t('userBtns:buyIn')}
        </Link>
      </p>
    </div>
  )
}
