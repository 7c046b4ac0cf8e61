import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { endOf } from './filters.ts'
import { knownCode } from './repairs.ts'
import styles from './outcome.module.css'

const ends = [
  'done',
  'refused',
  'client_failed',
  'target_failed',
  'no_traffic',
  'idle',
  'cut',
  'ended',
] as const
type End = (typeof ends)[number] | 'other'

/** The outcome of a record; `other`: this release does not know it, another one wrote the record. */
export const knownEnd = (outcome: string): End => ends.find((each) => each === outcome) ?? 'other'

/** The name of a refusal code, or of the outcome of a request that has no refusal code. */
export function useOutcomeName(): (codeOrOutcome: string) => string {
  const { t } = useTranslation(['requests', 'gatewayRefusals'])
  return (name) => {
    const code = knownCode(name)
    if (code !== null) return t(`gatewayRefusals:names.${code}`)
    const end = knownEnd(name)
    return end === 'other' ? name : t(`requests:end.${end}`)
  }
}

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
