import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { useFigures } from '../../parts/use-figures.ts'
import type { Column } from '../../table/columns.ts'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]
type Figures = DeskOutput<'exit_figures'>[number]
type Answers = DeskOutput<'exit_figures'>[number]['day']

/** The share of attempts that an exit answered; null: there were none. */
function successOf(answers: Answers | undefined): number | null {
  const { answered = '0', failed = '0' } = answers ?? {}
  const all = Number(answered) + Number(failed)
  return all === 0 ? null : Number(answered) / all
}

/** How exits answered in the last day and hour. */
export function useAnswerColumns(ofExit: ReadonlyMap<string, Figures>): readonly Column<Exit>[] {
  const { t } = useTranslation('deskExits')
  const { number, percent } = useFigures()
  const latencyText = (answers: Answers | undefined) => {
    if (answers === undefined || answers.answered === '0') return '–'
    const ms = (value: number | null) => (value === null ? t('exit.slow') : number(value))
    return t('exit.milliseconds', { p50: ms(answers.p50_ms), p95: ms(answers.p95_ms) })
  }
  return [
    {
      id: 'success',
      title: t('exit.success'),
      numeric: true,
      cell: ({ id }) => {
        const { day, hour } = ofExit.get(id) ?? {}
        const [ofDay, ofHour] = [successOf(day), successOf(hour)]
        return (
          <>
            <span>{ofDay === null ? '–' : percent(ofDay)}</span>
            {ofHour !== null && (
              <span className={styles.when}>{t('exit.hour', { value: percent(ofHour) })}</span>
            )}
          </>
        )
      },
    },
    {
      id: 'latency',
      title: t('exit.latency'),
      numeric: true,
      cell: ({ id }) => {
        const { day, hour } = ofExit.get(id) ?? {}
        return (
          <>
            <span>{latencyText(day)}</span>
            {successOf(hour) !== null && (
              <span className={styles.when}>{t('exit.hour', { value: latencyText(hour) })}</span>
            )}
          </>
        )
      },
    },
  ]
}
