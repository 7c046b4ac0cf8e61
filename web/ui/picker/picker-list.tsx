import { useVirtualizer } from '@tanstack/react-virtual'
import Check from 'lucide-react/icons/check'
import { type KeyboardEvent, useState } from 'react'
import { classNames } from '../class-names.ts'
import { Flag } from '../graphics/flag.tsx'
import styles from './picker-list.module.css'
import type { Searchable } from './search.ts'

export interface PickerItem extends Searchable {
  /** Secondary text beside the name: a code, the containing place. */
  note?: string
  /** A country code, for its flag. */
  flag?: string
  /** A formatted count. */
  count?: string
}

const rowHeight = 44

/**
 * The keyboard of a listbox whose focus stays in the search box above it: arrow and page keys move the active
 * row, Enter toggles it.
 */
export function usePickerKeyboard<I extends PickerItem>(items: readonly I[], onToggle: (item: I) => void) {
  const [wanted, setActive] = useState(0)
  const active = Math.min(wanted, items.length - 1)
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
      setActive(next)
      return
    }
    const item = items[active]
    if (event.key === 'Enter' && item !== undefined) {
      event.preventDefault()
      onToggle(item)
    }
  }
  return { active, setActive, onKeyDown }
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

/** A virtualised listbox. It is the scrolling element itself, so that the keyboard can scroll it. */
export function PickerList<I extends PickerItem>(props: PickerListProps<I>) {
  const { id, label, items, selected, active, onToggle, emptyText } = props
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller,
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
      ref={setScroller}
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
          const isSelected = selected.has(item.key)
          return (
            <div
              key={item.key}
              id={optionId(id, row.index)}
              role="option"
              aria-selected={isSelected}
              aria-setsize={items.length}
              aria-posinset={row.index + 1}
              className={classNames(styles.row, row.index === active && styles.active)}
              style={{ transform: `translateY(${row.start}px)` }}
              // A click must not take the focus from the search box.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onToggle(item, row.index)}
            >
              <span className={classNames(styles.checkbox, isSelected && styles.selected)} aria-hidden="true">
                {isSelected && <Check size={14} strokeWidth={3} />}
              </span>
              {item.flag !== undefined && <Flag country={item.flag} />}
              <span className={styles.name}>{item.label}</span>
              {item.note !== undefined && <span className={styles.note}>{item.note}</span>}
              {item.count !== undefined && (
                <span translate="no" className={classNames(styles.count, 'mono')}>
                  {item.count}
                </span>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
