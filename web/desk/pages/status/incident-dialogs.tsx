import { useState } from 'react'
import { type IncidentState, incidentStates } from '#contract/status/rules'
import { type Pool, pools as allPools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextArea } from '../../../ui/fields/text-area.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import type { Incident } from './incident.ts'
import styles from './status.module.css'

interface Texts {
  ru: string
  en: string
}

const trimmed = ({ ru, en }: Texts): Texts => ({ ru: ru.trim(), en: en.trim() })
const isFilled = ({ ru, en }: Texts) => ru.trim() !== '' && en.trim() !== ''
const none: Texts = { ru: '', en: '' }

/** A title or a text in both languages: each visitor sees one of them. */
function BothFields({
  kind,
  value,
  onChange,
}: {
  kind: 'title' | 'text'
  value: Texts
  onChange: (value: Texts) => void
}) {
  const { t } = useTranslation('deskStatus')
  return (['ru', 'en'] as const).map((language) =>
    kind === 'title' ? (
      <TextField
        key={language}
        label={t(`titleIn.${language}`)}
        lang={language}
        maxLength={200}
        autoComplete="off"
        value={value[language]}
        onChange={(event) => onChange({ ...value, [language]: event.target.value })}
      />
    ) : (
      <TextArea
        key={language}
        label={t(`textIn.${language}`)}
        lang={language}
        maxLength={4000}
        value={value[language]}
        onChange={(event) => onChange({ ...value, [language]: event.target.value })}
      />
    ),
  )
}

function PoolFields({ value, onChange }: { value: readonly Pool[]; onChange: (value: Pool[]) => void }) {
  const { t } = useTranslation(['deskStatus', 'header'])
  return (
    <fieldset className={styles.poolFields}>
      <legend>{t('affected')}</legend>
      {allPools.map((pool) => (
        <label key={pool} className={styles.check}>
          <input
            type="checkbox"
            checked={value.includes(pool)}
            onChange={({ target }) =>
              onChange(allPools.filter((one) => (one === pool ? target.checked : value.includes(one))))
            }
          />
          <span>{t(`header:pools.${pool}`)}</span>
        </label>
      ))}
    </fieldset>
  )
}

function StateField({ value, onChange }: { value: IncidentState; onChange: (state: IncidentState) => void }) {
  const { t } = useTranslation('deskStatus')
  return (
    <SelectField
      label={t('state')}
      value={value}
      options={incidentStates.map((state) => ({ value: state, label: t(`states.${state}`) }))}
      onChange={onChange}
    />
  )
}

/** Opens an incident. */
export function OpenDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('deskStatus')
  const [title, setTitle] = useState(none)
  const [pools, setPools] = useState<Pool[]>([])
  const [state, setState] = useState<IncidentState>('investigating')
  const [text, setText] = useState(none)
  const { pending, fault, run } = useAct('open_incident', onClose)
  return (
    <ActDialog
      title={t('open')}
      description={t('openText')}
      submit={t('publish')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={isFilled(title) && isFilled(text)}
      onClose={onClose}
      onSubmit={() => run({ title: trimmed(title), pools, state, text: trimmed(text) })}
    >
      <BothFields kind="title" value={title} onChange={setTitle} />
      <PoolFields value={pools} onChange={setPools} />
      <StateField value={state} onChange={setState} />
      <BothFields kind="text" value={text} onChange={setText} />
    </ActDialog>
  )
}

/** Adds an update to an incident. */
export function UpdateDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { t } = useTranslation('deskStatus')
  const [state, setState] = useState<IncidentState>(incident.state)
  const [text, setText] = useState(none)
  const { pending, fault, run } = useAct('update_incident', onClose)
  return (
    <ActDialog
      title={t('update')}
      submit={t('publish')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={isFilled(text)}
      onClose={onClose}
      onSubmit={() => run({ id: incident.id, state, text: trimmed(text) })}
    >
      <StateField value={state} onChange={setState} />
      <BothFields kind="text" value={text} onChange={setText} />
    </ActDialog>
  )
}

/** Corrects what an incident says; the times and states of its updates stay. */
export function CorrectDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { t } = useTranslation('deskStatus')
  const [title, setTitle] = useState<Texts>(incident.title)
  const [pools, setPools] = useState<Pool[]>(incident.pools)
  const [texts, setTexts] = useState<ReadonlyMap<string, Texts>>(
    () => new Map(incident.updates.map(({ id, text }) => [id, text])),
  )
  const { pending, fault, run } = useAct('correct_incident', onClose)
  const changed = incident.updates.flatMap(({ id, text }) => {
    const typed = texts.get(id) ?? text
    return typed.ru === text.ru && typed.en === text.en ? [] : [{ id, text: trimmed(typed) }]
  })
  return (
    <ActDialog
      title={t('correct')}
      description={t('correctText')}
      submit={t('publish')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={isFilled(title) && [...texts.values()].every(isFilled)}
      onClose={onClose}
      onSubmit={() => run({ id: incident.id, title: trimmed(title), pools, updates: changed })}
    >
      <BothFields kind="title" value={title} onChange={setTitle} />
      <PoolFields value={pools} onChange={setPools} />
      {incident.updates.map(({ id, state, text }) => (
        <fieldset key={id} className={styles.poolFields}>
          <legend>{t(`states.${state}`)}</legend>
          <BothFields
            kind="text"
            value={texts.get(id) ?? text}
            onChange={(typed) => setTexts(new Map(texts).set(id, typed))}
          />
        </fieldset>
      ))}
    </ActDialog>
  )
}
