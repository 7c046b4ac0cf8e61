import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { alertKinds } from '#contract/desk/alerts'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { AlertKinds } from '../../subjects/alert-kinds.tsx'
import { AlertGroup } from './alert-group.tsx'
import styles from './alerts.module.css'

type Settings = DeskOutput<'alert_settings'>
type Draft = DeskInput<'set_alert_settings'>

/** The settings of notices to staff. */
export function Alerts() {
  const settings = useQuery(query('alert_settings', {}))
  return (
    <Loaded query={settings}>
      {(data) => (
        <>
          <AlertGroup settings={data} />
          <AlertForm settings={data} />
        </>
      )}
    </Loaded>
  )
}

const usual = { quiet: { from: '23:00', until: '08:00' }, digest: '09:00' }

function AlertForm({ settings }: { settings: Settings }) {
  const { t } = useTranslation('deskSettings')
  const mayChange = useMay()('set_alert_settings')
  const { language, quiet, digest, group_off: off } = settings
  const [draft, setDraft] = useState<Draft>({ language, quiet, digest, group_off: off })
  const { pending, fault, result, run } = useAct('set_alert_settings')
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    run(draft)
  }
  return (
    <Section title={t('alerts.how')}>
      <form className={styles.form} onSubmit={onSubmit} noValidate>
        <SelectField
          className={styles.language}
          label={t('alerts.language')}
          value={draft.language}
          disabled={!mayChange}
          options={(['ru', 'en'] as const).map((value) => ({ value, label: t(`alerts.in.${value}`) }))}
          onChange={(value) => change({ language: value })}
        />
        <Times
          label={t('alerts.quiet')}
          about={t('alerts.quietText')}
          disabled={!mayChange}
          isOn={draft.quiet !== null}
          onTurn={(isOn) => change({ quiet: isOn ? usual.quiet : null })}
        >
          {draft.quiet !== null &&
            (['from', 'until'] as const).map((end) => (
              <TextField
                key={end}
                type="time"
                required
                label={t(`alerts.${end}`)}
                disabled={!mayChange}
                value={draft.quiet?.[end] ?? ''}
                onChange={({ target }) =>
                  change({ quiet: { ...(draft.quiet ?? usual.quiet), [end]: target.value } })
                }
              />
            ))}
        </Times>
        <Times
          label={t('alerts.digest')}
          about={t('alerts.digestText')}
          disabled={!mayChange}
          isOn={draft.digest !== null}
          onTurn={(isOn) => change({ digest: isOn ? usual.digest : null })}
        >
          {draft.digest !== null && (
            <TextField
              type="time"
              required
              label={t('alerts.at')}
              disabled={!mayChange}
              value={draft.digest}
              onChange={({ target }) => change({ digest: target.value })}
            />
          )}
        </Times>
        <div>
          <p className={styles.about}>{t('alerts.inGroup')}</p>
        </div>
        <AlertKinds
          known={alertKinds}
          chosen={alertKinds.filter((kind) => !draft.group_off.includes(kind))}
          disabled={!mayChange}
          onChange={(chosen) => change({ group_off: alertKinds.filter((kind) => !chosen.includes(kind)) })}
        />
        {fault !== undefined && <Fault text={fault} />}
        {result !== undefined && <p role="status">{t('alerts.saved')}</p>}
        {mayChange && (
          <Button type="submit" pending={pending}>
            {t('settings.save')}
          </Button>
        )}
      </form>
    </Section>
  )
}

interface TimesProps {
  label: string
  about: string
  isOn: boolean
  disabled: boolean
  onTurn: (isOn: boolean) => void
  children: ReactNode
}

/** A switch that shows the fields of its times of day while it is on. */
function Times({ label, about, isOn, disabled, onTurn, children }: TimesProps) {
  return (
    <div>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={isOn}
          disabled={disabled}
          onChange={(event) => onTurn(event.target.checked)}
        />
        <span>
          <span>{label}</span>
          <span className={styles.about}>{about}</span>
        </span>
      </label>
      {isOn && <div className={styles.times}>{children}</div>}
    </div>
  )
}
