import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { call, refreshAll } from '../../state/api.ts'
import styles from './customers.module.css'

interface Outcome {
  id: string
  /** Why it failed; null: done. */
  fault: string | null
}

/** Adds a tag to those that a customer has: the call sets all of them. */
async function addTag(id: string, tag: string): Promise<void> {
  const { tags } = await call('customer', { id })
  if (!tags.includes(tag)) await call('set_tags', { id, tags: [...tags, tag] })
}

/** One act for many customers, one after another; each has its own outcome. */
export function BulkDialog({
  act,
  ids,
  onClose,
}: {
  act: 'block' | 'tag'
  ids: readonly string[]
  onClose: () => void
}) {
  const { t } = useTranslation('deskPages')
  const [tag, setTag] = useState('')
  const [tell, setTell] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([])
  const run = async (reason: string) => {
    setRunning(true)
    const done: Outcome[] = []
    for (const id of ids) {
      try {
        await (act === 'tag' ? addTag(id, tag.trim()) : call('block_customer', { id, reason, tell }))
        done.push({ id, fault: null })
      } catch (error) {
        done.push({ id, fault: (error as Error).message })
      }
      setOutcomes([...done])
    }
    setRunning(false)
    await refreshAll()
  }
  const failed = outcomes.filter(({ fault }) => fault !== null)
  const isDone = !isRunning && outcomes.length === ids.length
  return (
    <ActDialog
      title={t(`bulk.${act}Title`, { count: ids.length })}
      submit={isDone ? t('bulk.close') : t(`bulk.${act}`)}
      reason={act === 'tag' || isDone ? 'none' : 'required'}
      pending={isRunning}
      fault={undefined}
      ready={isDone || act !== 'tag' || tag.trim() !== ''}
      onClose={onClose}
      onSubmit={(reason) => (isDone ? onClose() : void run(reason))}
    >
      {!isDone && act === 'tag' && (
        <TextField
          label={t('customers.tag')}
          value={tag}
          maxLength={40}
          onChange={(event) => setTag(event.target.value)}
        />
      )}
      {!isDone && act === 'block' && (
        <label>
          <input type="checkbox" checked={tell} onChange={(event) => setTell(event.target.checked)} />{' '}
          {t('block.tell')}
        </label>
      )}
      {outcomes.length > 0 && (
        <progress
          className={styles.progress}
          max={ids.length}
          value={outcomes.length}
          aria-label={t('bulk.progress')}
        />
      )}
      {isDone && (
        <p role="status">{t('bulk.done', { done: outcomes.length - failed.length, all: ids.length })}</p>
      )}
      {failed.length > 0 && (
        <ul className={styles.outcomes}>
          {failed.map(({ id, fault }) => (
            <li key={id}>
              <span>#{id}</span>
              <span>{fault}</span>
            </li>
          ))}
        </ul>
      )}
    </ActDialog>
  )
}
