import type { Output } from '#contract/contract'
import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './timeline.module.css'
import { useFigures } from './use-figures.ts'

type Steps = Output<'explain_request'>['timeline_ms']

const order = ['authenticated', 'exit_chosen', 'connected', 'first_byte', 'ended'] as const

/** When each step of a request was reached, counted from its acceptance. */
export function Timeline({ steps }: { steps: Steps }) {
  const { t } = useTranslation('requests')
  const { duration } = useFigures()
  const end = Math.max(1, ...order.map((step) => steps[step] ?? 0))
  return (
    <ol className={styles.steps}>
      <Step name={t('one.accepted')} figure={duration(0)} share={0} />
      {order.map((step) => {
        const ms = steps[step]
        return (
          <Step
            key={step}
            name={t(`one.${step}`)}
            figure={ms === null ? t('one.notReached') : duration(ms)}
            share={ms === null ? null : ms / end}
          />
        )
      })}
    </ol>
  )
}

function Step({ name, figure, share }: { name: string; figure: string; share: number | null }) {
  return (
    <li className={classNames(styles.step, share === null && styles.missed)}>
      <span>{name}</span>
      <span className={styles.figure}>{figure}</span>
      <span className={styles.track} aria-hidden="true">
        {share !== null && (
          <span className={styles.reached} style={{ width: `${Math.max(1, share * 100)}%` }} />
        )}
      </span>
    </li>
  )
}
