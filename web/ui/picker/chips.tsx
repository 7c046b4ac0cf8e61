import X from 'lucide-react/icons/x'
import styles from './chips.module.css'

interface ChipsProps {
  items: readonly { key: string; label: string }[]
  label: string
  removeLabel: (name: string) => string
  onRemove: (key: string) => void
}

/** The chosen items, each with a button that removes it. */
export function Chips({ items, label, removeLabel, onRemove }: ChipsProps) {
  return (
    <ul className={styles.chips} aria-label={label}>
      {items.map((item) => (
        <li key={item.key} className={styles.chip}>
          <span className={styles.name}>{item.label}</span>
          <button
            type="button"
            className={styles.remove}
            aria-label={removeLabel(item.label)}
            onClick={() => onRemove(item.key)}
          >
            <X size={14} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  )
}
