import type { DeskOutput } from '#contract/desk/contract'
import { AttemptsChart } from '../../subjects/health/attempts.tsx'
import { ExitState, LastFailure } from '../../subjects/health/exit-state.tsx'
import { useRefusalReason } from '../../subjects/refusal-reason.ts'
import styles from './exits.module.css'

/** The health of an exit: its state, its last failure and the attempts of an hour. */
export function ExitHealthPart({ health }: { health: DeskOutput<'exit_health'>[number] }) {
  const reasonOf = useRefusalReason()
  return (
    <div className={styles.health}>
      <div>
        <ExitState health={health} />
        <LastFailure health={health} reasonOf={reasonOf} />
      </div>
      <AttemptsChart minutes={health.minutes} />
    </div>
  )
}
