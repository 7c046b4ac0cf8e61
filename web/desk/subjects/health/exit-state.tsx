import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import styles from './health.module.css'

export type ExitHealth = DeskOutput<'exit_health'>[number]

const tones: Readonly<Record<ExitHealth['state'], Tone>> = {
  fault: 'bad',
  down: 'bad',
  degraded: 'warning',
  up: 'good',
  unknown: 'quiet',
  off: 'quiet',
}

/** The state of an exit, and since when. */
export function ExitState({ health }: { health: ExitHealth }) {
  const { t } = useTranslation('deskPages')
  const { recent } = useFigures()
  return (
    <span className={styles.state}>
      <Badge tone={tones[health.state]}>{t(`health.state.${health.state}`)}</Badge>
      {health.since !== null && (
        <span className={styles.since}>{t('health.since', { time: recent(health.since) })}</span>
      )}
    </span>
  )
}

/** The last failure: what the seller said of it, or else the reason that `reasonOf` knows for its code. */
export function LastFailure({
  health: { error, state },
  reasonOf,
}: {
  health: ExitHealth
  reasonOf: (code: string) => string
}) {
  const { t } = useTranslation('deskPages')
  const { recent } = useFigures()
  if (error === null || state === 'off') return null
  const said = [error.status, error.word].filter((part) => part !== null).join(' ')
  return (
    <span className={styles.failure}>
      <span>{reasonOf(error.code)}</span>
      {said !== '' && <q translate="no">{said}</q>}
      <span className={styles.since}>{t('health.lastFailure', { time: recent(error.at) })}</span>
    </span>
  )
}
