import Columns3 from 'lucide-react/icons/columns-3'
import { type FocusEvent, type KeyboardEvent, useRef } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import styles from './column-menu.module.css'

interface ColumnMenuProps {
  columns: readonly { id: string; title: string; fixed?: boolean }[]
  shown: Readonly<Record<string, boolean>>
  onChange: (shown: Record<string, boolean>) => void
}

/** The choice of columns: closes on Esc and when the focus leaves it. */
export function ColumnMenu({ columns, shown, onChange }: ColumnMenuProps) {
  const { t } = useTranslation('desk')
  const menu = useRef<HTMLDetailsElement>(null)
  const close = () => menu.current?.removeAttribute('open')
  const onBlur = (event: FocusEvent) => {
    // A click on a label moves the focus nowhere for a moment.
    if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget as Node)) close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    close()
    menu.current?.querySelector('summary')?.focus()
  }
  return (
    <details ref={menu} className={styles.menu} onBlur={onBlur} onKeyDown={onKeyDown}>
      <summary className={styles.button}>
        <Columns3 size={16} aria-hidden="true" />
        {t('table.columns')}
      </summary>
      <fieldset className={styles.list}>
        <legend className="sr-only">{t('table.columns')}</legend>
        {columns
          .filter(({ fixed }) => fixed !== true)
          .map(({ id, title }) => (
            <label key={id} className={styles.option}>
              <input
                type="checkbox"
                checked={shown[id] === true}
                onChange={(event) => onChange({ ...shown, [id]: event.target.checked })}
              />
              {title}
            </label>
          ))}
      </fieldset>
    </details>
  )
}
