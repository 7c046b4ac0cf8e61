import { type KeyboardEvent, type ReactNode, type RefObject, useId, useMemo, useRef, useState } from 'react'
import { Button } from '../button.tsx'
import { Chips } from './chips.tsx'
import { Dialog } from '../dialog.tsx'
import { PickerList, type PickerItem, optionId, usePickerKeyboard } from './picker-list.tsx'
import { search } from './search.ts'
import styles from './picker.module.css'
import { TextField } from '../fields/text-field.tsx'

export interface PickerTexts {
  search: string
  chosen: string
  remove: (name: string) => string
  clear: string
  confirm: string
  close: string
  loading: string
  /** Shown for an empty list. */
  none: string
  /** Shown when nothing matches the query. */
  notFound: string
  failed: string
  retry: string
  /** Adds the typed text, for lists that accept any. */
  add?: string
}

export interface PickerProps<I extends PickerItem> {
  open: boolean
  title: string
  description?: ReactNode
  items: readonly I[]
  /** The current selection; changes take effect when they are confirmed. */
  selected: readonly I[]
  state: 'loading' | 'failed' | 'ready'
  texts: PickerTexts
  /** Shows the whole list when nothing matches. */
  showAllWhenNoMatch?: boolean
  /** Converts typed text to an item, for lists that accept any text; null for text that is no item. */
  itemFromText?: (text: string) => I | null
  onRetry: () => void
  onConfirm: (selected: I[]) => void
  onClose: () => void
}

/**
 * A dialog for choosing several of many items: search, a virtualised list, chips of the selection, clear,
 * confirm. Base UI's Combobox would replace only its keyboard handling, and add 19 KiB, gzipped, to a tab
 * whose limit is 30 KiB.
 */
export function Picker<I extends PickerItem>(props: PickerProps<I>) {
  // The draft is the state of the open picker: closing without confirming discards it.
  return props.open ? <OpenPicker {...props} /> : null
}

function OpenPicker<I extends PickerItem>(props: PickerProps<I>) {
  const { title, description, items, texts, state, onConfirm, onClose, onRetry } = props
  const { draft, selected, toggle, add, remove, clear } = useDraft(props.selected)
  const [query, setQuery] = useState('')
  const listId = useId()
  const searchBox = useRef<HTMLInputElement>(null)
  const found = useMemo(() => search(items, query), [items, query])
  const shown = found.length === 0 && props.showAllWhenNoMatch ? items : found
  // The next choice begins with the whole list, so the query is cleared.
  const pick = (item: I) => {
    toggle(item)
    if (query === '') return
    updateQuery('')
    searchBox.current?.focus()
  }
  const keyboard = usePickerKeyboard(shown, pick)
  const updateQuery = (text: string) => {
    setQuery(text)
    keyboard.setActive(0)
  }
  const addQuery = () => {
    const item = props.itemFromText?.(query) ?? null
    if (item === null) return
    add(item)
    updateQuery('')
    searchBox.current?.focus()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={description}
      closeLabel={texts.close}
      initialFocus={searchBox}
      footer={
        <>
          <Button variant="ghost" disabled={draft.length === 0} onClick={clear}>
            {texts.clear}
          </Button>
          <Button variant="primary" onClick={() => onConfirm([...draft])}>
            {texts.confirm}
          </Button>
        </>
      }
    >
      <SearchBox
        ref={searchBox}
        texts={texts}
        query={query}
        listId={listId}
        activeId={keyboard.active >= 0 && state === 'ready' ? optionId(listId, keyboard.active) : undefined}
        onQuery={updateQuery}
        onKeyDown={keyboard.onKeyDown}
        onAdd={props.itemFromText === undefined ? undefined : addQuery}
      />
      {draft.length > 0 && (
        <Chips items={draft} label={texts.chosen} removeLabel={texts.remove} onRemove={remove} />
      )}
      {state === 'ready' ? (
        <PickerList
          id={listId}
          label={title}
          items={shown}
          selected={selected}
          active={keyboard.active}
          onToggle={(item, index) => {
            if (query === '') keyboard.setActive(index)
            pick(item)
          }}
          emptyText={items.length === 0 ? texts.none : texts.notFound}
        />
      ) : (
        <div id={listId} className={styles.placeholder} role="status">
          {state === 'loading' ? <p>{texts.loading}</p> : <Failed texts={texts} onRetry={onRetry} />}
        </div>
      )}
    </Dialog>
  )
}

/** The selection before it is confirmed. */
function useDraft<I extends PickerItem>(initial: readonly I[]) {
  const [draft, setDraft] = useState<readonly I[]>(initial)
  const selected = useMemo(() => new Set(draft.map((item) => item.key)), [draft])
  const remove = (key: string) => setDraft((items) => items.filter((item) => item.key !== key))
  const add = (item: I) =>
    setDraft((items) => (items.some(({ key }) => key === item.key) ? items : [...items, item]))
  const toggle = (item: I) => (selected.has(item.key) ? remove(item.key) : add(item))
  return { draft, selected, toggle, add, remove, clear: () => setDraft([]) }
}

interface SearchBoxProps {
  ref: RefObject<HTMLInputElement | null>
  texts: PickerTexts
  query: string
  listId: string
  activeId: string | undefined
  onQuery: (text: string) => void
  onKeyDown: (event: KeyboardEvent) => void
  /** Adds the typed text as an item, for lists that accept any. */
  onAdd: (() => void) | undefined
}

function SearchBox({ ref, texts, query, listId, activeId, onQuery, onKeyDown, onAdd }: SearchBoxProps) {
  const isBlank = query.trim() === ''
  const handleKeyDown = (event: KeyboardEvent) => {
    // Where any text is accepted, Enter adds the typed text; without text it toggles the active row.
    if (event.key === 'Enter' && onAdd !== undefined && !isBlank) {
      event.preventDefault()
      onAdd()
    } else onKeyDown(event)
  }
  return (
    <div className={styles.search}>
      <TextField
        ref={ref}
        label={texts.search}
        labelHidden
        placeholder={texts.search}
        value={query}
        autoComplete="off"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={activeId}
        className={styles.field ?? ''}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={handleKeyDown}
      />
      {onAdd !== undefined && (
        <Button disabled={isBlank} onClick={onAdd}>
          {texts.add}
        </Button>
      )}
    </div>
  )
}

function Failed({ texts, onRetry }: { texts: PickerTexts; onRetry: () => void }) {
  return (
    <>
      <p>{texts.failed}</p>
      <Button onClick={onRetry}>{texts.retry}</Button>
    </>
  )
}
