import { useVirtualizer } from '@tanstack/react-virtual'
import Check from 'lucide-react/icons/check'
import { type KeyboardEvent, useState } from 'react'
import { classes } from './classes.ts'
import { Flag } from './flag.tsx'
import styles from './picker-list.module.css'
import type { Findable } from './search.ts'

export interface PickerItem extends Findable {
  /** Quiet text beside the name: a code, the place it lies in. */
  note?: string
  /** A country's code, for its flag. */
  flag?: string
  /** How many there are, as text. */
  count?: string
}

const rowHeight = 44

/** Keys that move the mark, act on the marked row, and where the mark is; for the search box above the list. */
export function usePickerMark<I extends PickerItem>(items: readonly I[], onToggle: (item: I) => void) {
  const [marked, setMarked] = useState(0)
  const active = Math.min(marked, items.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const last = items.length - 1
    const moves: Record<string, number> = {
      ArrowDown: Math.min(active + 1, last),
      ArrowUp: Math.max(active - 1, 0),
      PageDown: Math.min(active + 6, last),
      PageUp: Math.max(active - 6, 0),
    }
    const next = moves[event.key]
    if (next !== undefined) {
      event.preventDefault()
      setMarked(next)
      return
    }
    const item = items[active]
    if (event.key === 'Enter' && item !== undefined) {
      event.preventDefault()
      onToggle(item)
    }
  }
  return { active, setMarked, onKeyDown }
}

interface PickerListProps<I extends PickerItem> {
  id: string
  label: string
  items: readonly I[]
  selected: ReadonlySet<string>
  active: number
  onToggle: (item: I, index: number) => void
  emptyText: string
}

export const optionId = (listId: string, index: number) => `${listId}-${index}`

/** Thousands of rows of which only the seen ones exist. The list is the scrolling element itself. */
export function PickerList<I extends PickerItem>(props: PickerListProps<I>) {
  const { id, label, items, selected, active, onToggle, emptyText } = props
  const [box, setBox] = useState<HTMLDivElement | null>(null)
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const [shownActive, setShownActive] = useState(active)
  if (shownActive !== active) {
    setShownActive(active)
    if (active >= 0) virtual.scrollToIndex(active, { align: 'auto' })
  }
  return (
    <div
      ref={setBox}
      id={id}
      role="listbox"
      aria-label={label}
      aria-multiselectable="true"
      tabIndex={-1}
      className={styles.list}
    >
      {items.length === 0 && <p className={styles.empty}>{emptyText}</p>}
      <div role="presentation" className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((row) => {
          const item = items[row.index]
          if (item === undefined) return null
          const chosen = selected.has(item.key)
          return (
            <div
              key={item.key}
              id={optionId(id, row.index)}
              role="option"
              aria-selected={chosen}
              aria-setsize={items.length}
              aria-posinset={row.index + 1}
              className={classes(styles.row, row.index === active && styles.active)}
              style={{ transform: `translateY(${row.start}px)` }}
              // The press must not take the focus from the search box.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onToggle(item, row.index)}
            >
              <span className={classes(styles.box, chosen && styles.chosen)} aria-hidden="true">
                {chosen && <Check size={14} strokeWidth={3} />}
              </span>
              {item.flag !== undefined && <Flag country={item.flag} />}
              <span className={styles.name}>{item.label}</span>
              {item.note !== undefined && <span className={styles.note}>{item.note}</span>}
              {item.count !== undefined && (
                <span className={classes(styles.count, 'mono')}>{item.count}</span>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
