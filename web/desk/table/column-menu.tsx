import Columns3 from 'lucide-react/icons/columns-3'
import { useTranslation } from '../../state/i18n.ts'
import { Menu } from '../parts/menu.tsx'
import styles from './column-menu.module.css'

interface ColumnMenuProps {
  columns: readonly { id: string; title: string; fixed?: boolean }[]
  shown: Readonly<Record<string, boolean>>
  onChange: (shown: Record<string, boolean>) => void
}

/** The choice of columns. */
export function ColumnMenu({ columns, shown, onChange }: ColumnMenuProps) {
  const { t } = useTranslation('desk')
  return (
    <Menu label={t('table.columns')} icon={<Columns3 size={16} aria-hidden="true" />}>
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
              <span>{title}</span>
            </label>
          ))}
      </fieldset>
    </Menu>
  )
}
