import { useToldRead } from '../../state/told-read.ts'
import { type SubmitEvent, useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { shortestReason } from '../../parts/act-dialog.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { type Condition, spreads, usualSpread } from './search.ts'
import styles from './connections.module.css'

type Wanted = Partial<Record<Condition, string>>

interface SearchFormProps {
  wanted: Wanted
  reason: string
  mayTargets: boolean
  onSearch: (wanted: Record<string, string>, reason: string) => void
  /** Whether the search lacks its reason; if so, earlier results are hidden beneath the error. */
  onRefused: (isRefused: boolean) => void
}

/** A time in the format of `datetime-local`, in the zone of the browser; empty: no valid time. */
function localOf(iso: string | undefined): string {
  const time = iso === undefined ? Number.NaN : Date.parse(iso)
  if (Number.isNaN(time)) return ''
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000
  return new Date(time - offsetMs).toISOString().slice(0, 16)
}

/** The fields for the facts that a complaint names. Enter starts the search. */
export function SearchForm({ wanted, reason, mayTargets, onSearch, onRefused }: SearchFormProps) {
  const { t } = useTranslation(['deskTraffic', 'deskPages', 'header'])
  const mayExits = useMay()('exits')
  const exits = useToldRead({ ...query('exits', {}), enabled: mayExits })
  const [fields, setFields] = useState({ ...wanted, at: localOf(wanted.at) })
  const [why, setWhy] = useState(reason)
  const [isTried, setTried] = useState(false)
  const set = (name: Condition) => (value: string) => setFields((before) => ({ ...before, [name]: value }))
  const text = (name: Condition) => ({
    value: fields[name] ?? '',
    onChange: (event: { target: { value: string } }) => set(name)(event.target.value),
    spellCheck: false,
    autoComplete: 'off',
  })
  const hasTarget = mayTargets && (fields.target ?? '').trim() !== ''
  const isReasonShort = why.trim().length < shortestReason
  const isReasonMissing = isReasonShort && (hasTarget || why.trim() !== '')
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    onRefused(isReasonMissing)
    if (isReasonMissing) return
    const at = fields.at === '' ? '' : new Date(fields.at).toISOString()
    const entered = Object.entries({ ...fields, at })
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([name, value]) => value !== '' && (name !== 'spread' || at !== ''))
    onSearch(Object.fromEntries(entered), why.trim())
  }
  const clear = () => {
    setFields({ at: '' })
    setWhy('')
    setTried(false)
    onRefused(false)
    onSearch({}, '')
  }
  return (
    <form className={styles.form} role="search" onSubmit={onSubmit} noValidate>
      <div className={styles.fields}>
        {mayTargets && (
          <TextField
            label={t('connections.target')}
            placeholder="203.0.113.80:443"
            className={styles.wide}
            mono
            {...text('target')}
          />
        )}
        <TextField
          label={t('connections.time')}
          type="datetime-local"
          className={styles.wide}
          {...text('at')}
        />
        <SelectField
          label={t('connections.around')}
          value={fields.spread ?? String(usualSpread)}
          options={spreads.map((minutes) => ({
            value: String(minutes),
            label:
              minutes < 60
                ? t('connections.minutes', { count: minutes })
                : t('connections.hours', { count: minutes / 60 }),
          }))}
          onChange={set('spread')}
        />
        <TextField
          label={t('connections.source')}
          placeholder="198.51.100.7:41022"
          className={styles.wide}
          mono
          {...text('source')}
        />
        <TextField label={t('connections.ip')} mono {...text('ip')} />
        {exits.data !== undefined && (
          <SelectField
            label={t('traffic.key.exit')}
            value={fields.exit ?? ''}
            options={[
              { value: '', label: t('traffic.anyExit') },
              ...exits.data.map(({ id, name, pool }) => ({
                value: id,
                label: `${name} · ${t(`header:pools.${pool}`)}`,
              })),
            ]}
            onChange={set('exit')}
          />
        )}
        <TextField label={t('connections.customer')} inputMode="numeric" mono {...text('customer')} />
        <TextField label={t('connections.request')} mono {...text('request_id')} />
      </div>
      {mayTargets && (
        <TextField
          label={t('connections.why')}
          hint={t('connections.whyHint')}
          error={isTried && isReasonMissing ? t('connections.reasonFirst') : undefined}
          maxLength={500}
          value={why}
          onChange={(event) => setWhy(event.target.value)}
        />
      )}
      <div className={styles.acts}>
        <Button type="submit" variant="primary">
          {t('connections.find')}
        </Button>
        <Button variant="ghost" onClick={clear}>
          {t('connections.clear')}
        </Button>
        <span className={styles.quiet}>
          {t('connections.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}
        </span>
      </div>
    </form>
  )
}
