import CornerDownLeft from 'lucide-react/icons/corner-down-left'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { classNames } from '../class-names.ts'
import { Dialog } from '../dialog.tsx'
import { TextField } from '../fields/text-field.tsx'
import styles from './palette.module.css'

export interface PaletteChoice {
  key: string
  title: string
  note: string
}

interface PaletteProps<C extends PaletteChoice> {
  typed: string
  choices: readonly C[]
  labels: { title: string; close: string; field: string; results: string }
  /** Shown below the choices: that nothing was found, or an error. */
  children?: ReactNode
  onType: (typed: string) => void
  onChoose: (choice: C) => void
  onClose: () => void
}

/**
 * A field and the choices for what is typed: arrows move, Enter chooses, Esc closes and returns the focus.
 */
export function Palette<C extends PaletteChoice>(props: PaletteProps<C>) {
  const { typed, choices, labels, children, onType, onChoose, onClose } = props
  const [wanted, setActive] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const listId = useId()
  const active = Math.min(wanted, choices.length - 1)
  const moveTo = (index: number) => {
    setActive(index)
    document.getElementById(`${listId}-${index}`)?.scrollIntoView({ block: 'nearest' })
  }
  const choose = (choice: C | undefined) => {
    if (choice === undefined) return
    onClose()
    onChoose(choice)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1 }
    const next = moves[event.key]
    if (next !== undefined) {
      event.preventDefault()
      moveTo(Math.max(0, Math.min(next, choices.length - 1)))
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      choose(choices[active])
    }
  }
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={labels.title}
      closeLabel={labels.close}
      initialFocus={field}
    >
      <TextField
        ref={field}
        label={labels.field}
        labelHidden
        placeholder={labels.field}
        value={typed}
        onChange={(event) => {
          onType(event.target.value)
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
      <ul id={listId} role="listbox" aria-label={labels.results} className={styles.list}>
        {choices.map((choice, index) => (
          // The field above handles the keyboard; the rows handle the mouse.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={choice.key}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            className={classNames(styles.row, index === active && styles.active)}
            onMouseMove={() => setActive(index)}
            onClick={() => choose(choice)}
          >
            <span className={styles.title}>{choice.title}</span>
            <span className={styles.note}>{choice.note}</span>
            <CornerDownLeft size={14} aria-hidden="true" className={styles.enter} />
          </li>
        ))}
      </ul>
      {children !== undefined && <div className={styles.below}>{children}</div>}
    </Dialog>
  )
}
