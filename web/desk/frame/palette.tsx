import { useQuery } from '@tanstack/react-query'
import CornerDownLeft from 'lucide-react/icons/corner-down-left'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Fault } from '../parts/loaded.tsx'
import { query } from '../state/api.ts'
import { useMay } from '../state/session.ts'
import styles from './palette.module.css'
import { addressOfHit, matchingPages, shortestSearch } from './palette-search.ts'
import { pages } from './pages.ts'

interface Choice {
  key: string
  title: string
  note: string
  to: string
}

const typingPauseMs = 150

/** A text some time after it was last changed. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

/** Go anywhere, find anyone: pages by their names, and what the server finds. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('desk')
  const may = useMay()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [wanted, setActive] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const listId = useId()
  const text = usePaused(typed.trim())
  const found = useQuery({
    ...query('find', { text }),
    enabled: may('find') && text.length >= shortestSearch,
    placeholderData: (before) => (text.length >= shortestSearch ? before : undefined),
  })
  const choices = useMemo((): Choice[] => {
    const named = pages
      .filter(({ needs }) => may(needs))
      .map(({ path, name }) => ({ path, title: t(`page.${name}`) }))
    const own = [...named, { path: '/me', title: t('page.me') }]
    return [
      ...(found.data ?? []).map((hit) => ({
        key: `${hit.kind}-${hit.id}`,
        title: hit.title,
        note: `${t(`palette.kind.${hit.kind}`)} · ${t(`palette.by.${hit.by}`)}`,
        to: addressOfHit(hit),
      })),
      ...matchingPages(own, typed).map(({ path, title }) => ({
        key: path,
        title,
        note: t('palette.page'),
        to: path,
      })),
    ]
  }, [found.data, may, t, typed])
  const active = Math.min(wanted, choices.length - 1)
  const go = (choice: Choice | undefined) => {
    if (choice === undefined) return
    onClose()
    void navigate(choice.to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1 }
    const next = moves[event.key]
    if (next !== undefined) {
      event.preventDefault()
      setActive(Math.max(0, Math.min(next, choices.length - 1)))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(choices[active])
    }
  }
  const isNothingFound = choices.length === 0 && !found.isFetching && text === typed.trim()
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={t('palette.title')}
      closeLabel={t('close')}
      initialFocus={field}
    >
      <TextField
        ref={field}
        label={t('palette.label')}
        labelHidden
        placeholder={t('palette.label')}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={listId}
        aria-activedescendant={choices.length > 0 ? `${listId}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
      />
      <ul id={listId} role="listbox" aria-label={t('palette.results')} className={styles.list}>
        {choices.map((choice, index) => (
          // The field above has the keyboard: the rows are for the mouse.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={choice.key}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            className={classNames(styles.row, index === active && styles.active)}
            onMouseMove={() => setActive(index)}
            onClick={() => go(choice)}
          >
            <span className={styles.title}>{choice.title}</span>
            <span className={styles.note}>{choice.note}</span>
            <CornerDownLeft size={14} aria-hidden="true" className={styles.enter} />
          </li>
        ))}
      </ul>
      {isNothingFound && <p className={styles.nothing}>{t('palette.nothing')}</p>}
      {found.error !== null && <Fault text={found.error.message} />}
    </Dialog>
  )
}
