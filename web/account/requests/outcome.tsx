import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { endOf } from './filters.ts'
import styles from './outcome.module.css'

const ends = ['done', 'refused', 'client_failed', 'target_failed', 'no_traffic', 'idle', 'cut'] as const
type End = (typeof ends)[number] | 'other'

/** The outcome of a record, if this release knows it: the record may be of another one. */
export const knownEnd = (outcome: string): End => ends.find((each) => each === outcome) ?? 'other'

/** The outcome of a request: a word with a coloured dot. */
export function Outcome(one: { outcome: string; code: string | null }) {
  const { t } = useTranslation('requests')
  const end = one.code === null ? knownEnd(one.outcome) : 'refused'
  return (
    <span className={classNames(styles.badge, styles[endOf(one)])}>
      <span className={styles.dot} aria-hidden="true" />
      <span>{t(`end.${end}`)}</span>
    </span>
  )
}
