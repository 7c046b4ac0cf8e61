import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { changeOf, sharesOf } from './change.ts'
import styles from './figure.module.css'

interface FigureProps {
  name: string
  figure: { today: string; before: string; hours: readonly string[] }
  format: (amount: string) => string
  /** The address of the items that the figure sums up. */
  to?: string
  lessIsBetter?: boolean
}

/** Today's figure, the figure of a week ago, and today's hours as bars. */
export function Figure({ name, figure, format, to, lessIsBetter = false }: FigureProps) {
  const { t } = useTranslation('deskPages')
  const { percent } = useFigures()
  const change = changeOf(figure)
  const isGood = change !== null && (lessIsBetter ? change < 0 : change > 0)
  const value = <span className={styles.value}>{format(figure.today)}</span>
  return (
    <div className={styles.figure}>
      <p className={styles.name}>{name}</p>
      {to === undefined ? (
        value
      ) : (
        <Link to={to} className={styles.link}>
          {value}
        </Link>
      )}
      <div className={styles.hours} aria-hidden="true">
        {sharesOf(figure.hours).map((share, hour) => (
          // oxlint-disable-next-line react/no-array-index-key -- the index is the hour
          <span key={hour} className={styles.hour}>
            <span className={styles.bar} style={{ height: `${(share * 100).toFixed(1)}%` }} />
          </span>
        ))}
      </div>
      <p className={styles.before}>
        <span>{t('today.before', { value: format(figure.before) })}</span>
        {change !== null && change !== 0 && (
          <span className={classNames(styles.change, isGood ? styles.good : styles.worse)}>
            {`${change > 0 ? '+' : ''}${percent(change)}`}
          </span>
        )}
      </p>
    </div>
  )
}
