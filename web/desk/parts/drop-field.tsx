import { type DragEvent, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import styles from './drop-field.module.css'

interface DropFieldProps {
  /** The name of the chosen file; null: none is chosen yet. */
  name: string | null
  words: { drop: string; columns: string; label: string }
  onFile: (file: File | undefined) => void
}

/** A field for a CSV file, which can be dropped or chosen. */
export function DropField({ name, words, onFile }: DropFieldProps) {
  const [isOver, setOver] = useState(false)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFile(event.dataTransfer.files[0])
  }
  return (
    <label
      className={classNames(styles.drop, isOver && styles.over)}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <span>{name ?? words.drop}</span>
      <span className={styles.quiet}>{words.columns}</span>
      <input
        type="file"
        accept=".csv,text/csv"
        className={styles.file}
        aria-label={words.label}
        onChange={(event) => onFile(event.target.files?.[0])}
      />
    </label>
  )
}
