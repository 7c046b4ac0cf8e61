import { useInfiniteQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import { type ReactNode, useMemo } from 'react'
import { fileAddress } from '#contract/desk/client'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { type CsvName, fileFormats } from '#contract/desk/wire'
import { useTranslation } from '../../state/i18n.ts'
import { pagesKey } from '../../state/reads/pages-key.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { call as send } from '../state/api.ts'
import { previousRows } from '../state/previous-rows.ts'
import { Fault, Waiting } from '../parts/loaded.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { type Column, useShownColumns } from './columns.ts'
import styles from './list.module.css'
import { Table, type TableProps } from './table.tsx'

/** The rows of a list that comes page by page. */
export type RowOf<N extends CsvName> = DeskOutput<N>['rows'][number]
type Filters<N extends CsvName> = Omit<DeskInput<N>, 'after' | 'limit'>

interface ListProps<N extends CsvName> extends Pick<TableProps<RowOf<N>>, 'label' | 'rowId' | 'selection'> {
  call: N
  filters: Filters<N>
  columns: readonly Column<RowOf<N>>[]
  /** The filters, above the rows. */
  bar?: ReactNode
  /** Says what to do when nothing is found. */
  empty: ReactNode
  /** A notice on the rows, above them. */
  note?: (page: DeskOutput<N>) => ReactNode
}

const pageSize = 50

/** A list of the server: its filters, its columns, its rows page by page, and all of it as a file. */
export function List<N extends CsvName>(props: ListProps<N>) {
  const { call, filters, columns, bar, empty, note, ...table } = props
  const { t } = useTranslation('desk')
  const [shown, setShown] = useShownColumns(call, columns)
  const read = useInfiniteQuery({
    queryKey: pagesKey(call, filters),
    queryFn: ({ signal, pageParam }) =>
      send(
        call,
        { ...filters, limit: pageSize, ...(pageParam === null ? {} : { after: pageParam }) } as DeskInput<N>,
        {
          signal,
        },
      ) as Promise<DeskOutput<N> & { rows: RowOf<N>[]; next: string | null }>,
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: previousRows(filters),
  })
  const { data } = read
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows), [data])
  const [first] = data?.pages ?? []
  const more = read.hasNextPage && (
    <div className={styles.more}>
      <Button size="small" pending={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>
        {t('table.more')}
      </Button>
    </div>
  )
  return (
    <div className={styles.list}>
      <div className={styles.tools}>
        <div className={styles.bar}>{bar}</div>
        <div className={styles.choices}>
          <ColumnMenu columns={columns} shown={shown} onChange={setShown} />
          {fileFormats.map((format) => (
            <a key={format} className={styles.file} href={fileAddress(call, format, filters)} download>
              {format === 'csv' && <Download size={16} aria-hidden="true" />}
              <span>{format === 'csv' ? t('table.csv') : t('table.xlsx')}</span>
            </a>
          ))}
        </div>
      </div>
      <p className="sr-only" role="status">
        {rows === undefined || read.isPlaceholderData ? '' : t('table.rows', { count: rows.length })}
      </p>
      {read.error !== null && (
        <Fault text={read.error.message} pending={read.isFetching} onRetry={() => void read.refetch()} />
      )}
      {rows === undefined ? (
        read.error === null && <Waiting />
      ) : rows.length === 0 ? (
        <div className={styles.empty}>
          {empty}
          {more}
        </div>
      ) : (
        <div className={classNames(read.isPlaceholderData && styles.stale)}>
          {first !== undefined && note?.(first)}
          <Table {...table} columns={columns} shown={shown} rows={rows} foot={more} />
        </div>
      )}
    </div>
  )
}
