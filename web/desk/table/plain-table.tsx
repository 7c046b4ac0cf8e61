import { useTranslation } from '../../state/i18n.ts'
import { ColumnMenu } from './column-menu.tsx'
import { type Column, useShownColumns } from './columns.ts'
import styles from './list.module.css'
import { Table } from './table.tsx'

interface PlainTableProps<Row extends object> {
  /** The key under which the choice of columns is stored. */
  table: string
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
}

/** A table of rows that are all loaded. */
export function PlainTable<Row extends object>({ table: name, ...rest }: PlainTableProps<Row>) {
  const { t } = useTranslation('desk')
  const [shown, setShown] = useShownColumns(name, rest.columns)
  return (
    <div className={styles.list}>
      <div className={styles.tools}>
        <p className="sr-only">{t('table.rows', { count: rest.rows.length })}</p>
        <div className={styles.choices}>
          <ColumnMenu columns={rest.columns} shown={shown} onChange={setShown} />
        </div>
      </div>
      <Table {...rest} shown={shown} />
    </div>
  )
}
