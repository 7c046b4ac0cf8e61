import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { type Pool, pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { useOptionalRead } from '../../../state/reads/optional-read.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextArea } from '../../../ui/fields/text-area.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { parseGb } from '../../parts/amounts.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { call, query, refreshAll } from '../../state/api.ts'
import { PriceListField } from '../../subjects/price-list-field.tsx'
import { type BulkAct, type Draft, emptyDraft, isReady, sendTo } from './bulk-draft.ts'
import styles from './customers.module.css'

interface Outcome {
  id: string
  state: 'done' | 'unchanged' | 'failed'
  /** Why it failed. */
  fault: string | null
}

interface BulkDialogProps {
  act: BulkAct
  ids: readonly string[]
  onClose: () => void
}

const withReason: ReadonlySet<BulkAct> = new Set(['block', 'credit', 'price_list'])

/**
 * One act for many customers, one after another, each with a separate call and result. A customer's key stays
 * the same when the act is retried, so that it applies once.
 */
export function BulkDialog({ act, ids, onClose }: BulkDialogProps) {
  const { t } = useTranslation('deskCustomer')
  const [draft, setDraft] = useState<Draft>(emptyDraft)
  const [keys] = useState(() => new Map(ids.map((id) => [id, crypto.randomUUID()])))
  const [reason, setReason] = useState('')
  const [queue, setQueue] = useState<readonly string[] | null>(null)
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const [isRunning, setRunning] = useState(false)
  // Without names the outcomes show numbers.
  const tried = useOptionalRead(query('try_bulk', { act, ids: [...ids] }))
  const names = new Map(tried?.people.map(({ id, name }) => [id, name]))

  const run = async (people: readonly string[], why: string) => {
    setQueue(people)
    setRunning(true)
    for (const id of people) {
      let outcome: Outcome
      try {
        const changed = await sendTo(call, { act, id, key: keys.get(id) ?? '', draft, reason: why })
        outcome = { id, state: changed ? 'done' : 'unchanged', fault: null }
      } catch (error) {
        outcome = { id, state: 'failed', fault: (error as Error).message }
      }
      setOutcomes((before) => new Map(before).set(id, outcome))
    }
    setRunning(false)
    await refreshAll()
  }
  const all = [...outcomes.values()]
  const failed = all.filter(({ state }) => state === 'failed').map(({ id }) => id)
  const isOver = queue !== null && !isRunning
  const onSubmit = (why: string) => {
    if (queue === null) {
      setReason(why)
      void run(ids, why)
    } else if (failed.length > 0) void run(failed, reason)
    else onClose()
  }
  const submit =
    queue === null
      ? t(`many.act.${act}`)
      : failed.length > 0
        ? t('many.retry', { count: failed.length })
        : t('many.close')
  return (
    <ActDialog
      title={t(`many.title.${act}`, { count: ids.length })}
      description={queue === null ? <DryRun act={act} ids={ids} draft={draft} /> : undefined}
      submit={submit}
      reason={queue === null && withReason.has(act) ? 'required' : 'none'}
      isDanger={act === 'block' && queue === null}
      pending={isRunning}
      fault={undefined}
      isOver={isOver && failed.length === 0}
      ready={queue !== null || isReady(act, draft)}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      {queue === null ? (
        <Fields act={act} draft={draft} onChange={(more) => setDraft({ ...draft, ...more })} />
      ) : (
        <>
          <progress
            className={styles.progress}
            max={ids.length}
            value={outcomes.size}
            aria-label={t('many.progress')}
          />
          <p role="status">
            {isOver &&
              t('many.done', {
                done: all.filter(({ state }) => state === 'done').length,
                unchanged: all.filter(({ state }) => state === 'unchanged').length,
                failed: failed.length,
              })}
          </p>
          <ul className={styles.outcomes}>
            {all.map(({ id, state, fault }) => (
              <li key={id}>
                <Link to={`/customers/${id}`} translate="no">
                  {names.get(id) ?? `#${id}`}
                </Link>
                <span>{fault ?? t(`many.outcome.${state}`)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </ActDialog>
  )
}

/** The server's dry run: whom the act would change, the total amount, and who is skipped and why. */
function DryRun({ act, ids, draft }: { act: BulkAct; ids: readonly string[]; draft: Draft }) {
  const { t } = useTranslation('deskCustomer')
  const { traffic } = useFigures()
  const tag = draft.tag.trim()
  const tried = useQuery(
    query('try_bulk', {
      act,
      ids: [...ids],
      ...(act === 'tag' && tag !== '' ? { tag } : {}),
      ...(act === 'price_list' && draft.listId !== '' ? { list_id: draft.listId } : {}),
    }),
  )
  if (tried.data === undefined) return <span>{tried.error?.message ?? t('many.counting')}</span>
  const { will, people } = tried.data
  const bytes = parseGb(draft.gb)
  const each = act === 'credit' && bytes !== null ? traffic(bytes) : null
  const left = people.filter(({ outcome }) => outcome !== 'will')
  return (
    <div className={styles.dry}>
      <p>
        {`${t('many.will', { count: will })}${act === 'credit' && bytes !== null ? ` ${t('many.total', { amount: traffic(bytes * BigInt(will)) })}` : ''}`}
      </p>
      <People people={people.filter(({ outcome }) => outcome === 'will')} note={() => each} />
      {left.length > 0 && (
        <>
          <p>{t('many.leftOut', { count: left.length })}</p>
          <People
            people={left}
            note={({ outcome }) => t(outcome === 'unknown' ? 'many.unknown' : `many.why.${act}`)}
          />
        </>
      )}
    </div>
  )
}

type Person = DeskOutput<'try_bulk'>['people'][number]

function People({ people, note }: { people: readonly Person[]; note: (person: Person) => string | null }) {
  const { t } = useTranslation('deskCustomer')
  if (people.length === 0) return null
  return (
    <ul className={styles.outcomes} tabIndex={0} aria-label={t('many.people')}>
      {people.map((person) => (
        <li key={person.id}>
          <span translate="no">{person.name ?? `#${person.id}`}</span>
          <span>{note(person)}</span>
        </li>
      ))}
    </ul>
  )
}

interface FieldsProps {
  act: BulkAct
  draft: Draft
  onChange: (draft: Partial<Draft>) => void
}

function Fields({ act, draft, onChange }: FieldsProps) {
  const { t } = useTranslation(['deskCustomer', 'deskPages', 'header'])
  if (act === 'tag')
    return (
      <TextField
        label={t('deskPages:customers.tag')}
        value={draft.tag}
        maxLength={40}
        onChange={(event) => onChange({ tag: event.target.value })}
      />
    )
  if (act === 'credit')
    return (
      <>
        <SelectField<Pool>
          label={t('deskPages:column.pool')}
          value={draft.pool}
          options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
          onChange={(pool) => onChange({ pool })}
        />
        <DecimalField label={t('many.gbEach')} value={draft.gb} onType={(text) => onChange({ gb: text })} />
      </>
    )
  if (act === 'price_list')
    return <PriceListField value={draft.listId} onChange={(listId) => onChange({ listId })} />
  if (act === 'letter')
    return (
      <>
        <TextField
          label={t('many.subject')}
          value={draft.subject}
          maxLength={120}
          onChange={(event) => onChange({ subject: event.target.value })}
        />
        <TextArea
          label={t('many.text')}
          hint={t('many.textHint')}
          rows={6}
          maxLength={8000}
          value={draft.text}
          onChange={(event) => onChange({ text: event.target.value })}
        />
      </>
    )
  return (
    <>
      <TextField
        type="datetime-local"
        label={t('deskPages:block.until')}
        hint={t('deskPages:block.untilHint')}
        value={draft.until}
        onChange={(event) => onChange({ until: event.target.value })}
      />
      <label className={styles.tell}>
        <input
          type="checkbox"
          checked={draft.tell}
          onChange={(event) => onChange({ tell: event.target.checked })}
        />
        <span>{t('deskPages:block.tell')}</span>
      </label>
    </>
  )
}
