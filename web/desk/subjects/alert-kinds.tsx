import { type AlertKind, alertRules, alertTopics } from '#contract/desk/alerts'
import { useTranslation } from '../../state/i18n.ts'
import styles from './alert-kinds.module.css'

interface AlertKindsProps {
  /** The kinds that can be selected. */
  known: readonly AlertKind[]
  chosen: readonly AlertKind[]
  disabled?: boolean
  onChange: (chosen: AlertKind[]) => void
}

/** The kinds of notices to staff, by topic, each with a switch. */
export function AlertKinds({ known, chosen, disabled = false, onChange }: AlertKindsProps) {
  const { t } = useTranslation('deskPages')
  const choose = (kind: AlertKind, isOn: boolean) =>
    onChange(known.filter((each) => (each === kind ? isOn : chosen.includes(each))))
  return (
    <div className={styles.groups}>
      {alertTopics.map((topic) => {
        const kinds = known.filter((kind) => alertRules[kind].topic === topic)
        return kinds.length === 0 ? null : (
          <fieldset key={topic} className={styles.group} disabled={disabled}>
            <legend>{t(`alerts.topic.${topic}`)}</legend>
            {kinds.map((kind) => (
              <label key={kind} className={styles.check}>
                <input
                  type="checkbox"
                  checked={chosen.includes(kind)}
                  onChange={(event) => choose(kind, event.target.checked)}
                />
                <span>{t(`alerts.kind.${kind}`)}</span>
              </label>
            ))}
          </fieldset>
        )
      })}
    </div>
  )
}
