import { type KeyboardEvent, type ReactNode, type RefObject, useId, useMemo, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { Chips } from './chips.tsx'
import { Dialog } from './dialog.tsx'
import { PickerList, type PickerItem, optionId, usePickerMark } from './picker-list.tsx'
import { search } from './search.ts'
import styles from './picker.module.css'
import { TextField } from './text-field.tsx'

export interface PickerTexts {
  search: string
  chosen: string
  remove: (name: string) => string
  clear: string
  confirm: string
  close: string
  loading: string
  /** Nothing in the list at all. */
  none: string
  /** Nothing by these words. */
  notFound: string
  failed: string
  retry: string
  /** Adds what is typed, for lists that take any text. */
  add?: string
}

export interface PickerProps<I extends PickerItem> {
  open: boolean
  title: string
  description?: ReactNode
  items: readonly I[]
  /** What was chosen before; picks count only once confirmed. */
  chosen: readonly I[]
  state: 'loading' | 'failed' | 'ready'
  texts: PickerTexts
  /** With no match the whole list is shown. */
  wholeListWhenNoMatch?: boolean
  /** Makes an item of typed text, for lists that take any; null for text that is none. */
  itemFromText?: (text: string) => I | null
  onRetry: () => void
  onConfirm: (chosen: I[]) => void
  onClose: () => void
}

/** Chooses some of many: search, a list with counts, chips of what is chosen, clear all, confirm. */
export function Picker<I extends PickerItem>(props: PickerProps<I>) {
  // The draft lives as long as the window is open: a picker closed without confirming forgets it.
  return props.open ? <OpenPicker {...props} /> : null
}

function OpenPicker<I extends PickerItem>(props: PickerProps<I>) {
  const { title, description, items, texts, state, onConfirm, onClose, onRetry } = props
  const { draft, selected, toggle, add, remove, clear } = useDraft(props.chosen)
  const [typed, setTyped] = useState('')
  const listId = useId()
  const box = useRef<HTMLInputElement>(null)
  const found = useMemo(() => search(items, typed), [items, typed])
  const shown = found.length === 0 && props.wholeListWhenNoMatch ? items : found
  const mark = usePickerMark(shown, toggle)
  const type = (text: string) => {
    setTyped(text)
    mark.setMarked(0)
  }
  const addTyped = () => {
    const item = props.itemFromText?.(typed) ?? null
    if (item === null) return
    add(item)
    type('')
    box.current?.focus()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={description}
      closeLabel={texts.close}
      initialFocus={box}
      footer={
        <>
          <Button variant="quiet" disabled={draft.length === 0} onClick={clear}>
            {texts.clear}
          </Button>
          <Button variant="paint" onClick={() => onConfirm([...draft])}>
            {texts.confirm}
          </Button>
        </>
      }
    >
      <SearchBox
        ref={box}
        texts={texts}
        typed={typed}
        listId={listId}
        activeId={mark.active >= 0 && state === 'ready' ? optionId(listId, mark.active) : undefined}
        onType={type}
        onKeyDown={mark.onKeyDown}
        onAdd={props.itemFromText === undefined ? undefined : addTyped}
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
          active={mark.active}
          onToggle={(item, index) => {
            mark.setMarked(index)
            toggle(item)
          }}
          emptyText={items.length === 0 ? texts.none : texts.notFound}
        />
      ) : (
        <div id={listId} className={styles.waiting} role="status">
          {state === 'loading' ? <p>{texts.loading}</p> : <Failed texts={texts} onRetry={onRetry} />}
        </div>
      )}
    </Dialog>
  )
}

/** What is picked so far. */
function useDraft<I extends PickerItem>(chosen: readonly I[]) {
  const [draft, setDraft] = useState<readonly I[]>(chosen)
  const selected = useMemo(() => new Set(draft.map((item) => item.key)), [draft])
  const remove = (key: string) => setDraft((now) => now.filter((item) => item.key !== key))
  const add = (item: I) => setDraft((now) => (now.some((one) => one.key === item.key) ? now : [...now, item]))
  const toggle = (item: I) => (selected.has(item.key) ? remove(item.key) : add(item))
  return { draft, selected, toggle, add, remove, clear: () => setDraft([]) }
}

interface SearchBoxProps {
  ref: RefObject<HTMLInputElement | null>
  texts: PickerTexts
  typed: string
  listId: string
  activeId: string | undefined
  onType: (text: string) => void
  onKeyDown: (event: KeyboardEvent) => void
  /** Takes what is typed as it stands, for lists that take any text. */
  onAdd: (() => void) | undefined
}

function SearchBox({ ref, texts, typed, listId, activeId, onType, onKeyDown, onAdd }: SearchBoxProps) {
  const blank = typed.trim() === ''
  const keyDown = (event: KeyboardEvent) => {
    // Where any text is taken, Enter adds what is typed; a bare Enter acts on the marked row.
    if (event.key === 'Enter' && onAdd !== undefined && !blank) {
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
        value={typed}
        autoComplete="off"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={activeId}
        className={styles.field ?? ''}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={keyDown}
      />
      {onAdd !== undefined && (
        <Button disabled={blank} onClick={onAdd}>
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
