import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { auditActions } from '#contract/desk/choices'
import type { DeskInput } from '#contract/desk/contract'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, DayFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useActionName, useSubjectName } from '../../subjects/action-name.ts'
import { CustomerLink } from '../../subjects/customer-link.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { SavedViews } from '../../table/views.tsx'
import { changesIn } from './changes.ts'
import styles from './audit.module.css'
import { UndoEntry } from './undo-entry.tsx'

const filterNames = [
  'text',
  'action',
  'staff_id',
  'subject_kind',
  'subject_id',
  'customer_id',
  'from',
  'until',
]
type Filters = Omit<DeskInput<'audit'>, 'after' | 'limit'>
type Row = RowOf<'audit'>

export function AuditPage() {
  const { t } = useTranslation(['deskPages', 'deskActions'])
  const language = useLanguage()
  const [search] = useSearchParams()
  const actions = useMemo(
    () =>
      auditActions
        .map((value) => ({ value, label: t(`deskActions:did.${value}`) }))
        .toSorted((a, b) => a.label.localeCompare(b.label, language)),
    [t, language],
  )
  const filters = useMemo(() => given(search, filterNames) as Filters, [search])
  const columns = useAuditColumns()
  return (
    <>
      <PageHead title={t('audit.title')} actions={<SavedViews />} />
      <List
        call="audit"
        label={t('audit.title')}
        filters={filters}
        columns={columns}
        rowId={(row) => row.id}
        empty={<p>{t('audit.none')}</p>}
        bar={
          <FilterBar>
            <TextFilter field="text" label={t('audit.search')} main />
            <ChoiceFilter
              field="action"
              label={t('audit.action')}
              all={t('deskActions:any')}
              options={actions}
            />
            <DayFilter field="from" label={t('filter.from')} />
            <DayFilter field="until" label={t('filter.until')} />
          </FilterBar>
        }
      />
    </>
  )
}

function useAuditColumns(): readonly Column<Row>[] {
  const { t } = useTranslation(['deskPages', 'deskActions'])
  const actionName = useActionName()
  const subjectName = useSubjectName()
  return useMemo(
    () => [
      {
        id: 'at',
        title: t('column.at'),
        fixed: true,
        phone: true,
        cell: (row) => <Moment iso={row.at} recent />,
      },
      { id: 'actor', title: t('audit.actor'), phone: true, cell: ({ actor }) => actor.name },
      {
        id: 'action',
        title: t('audit.action'),
        phone: true,
        cell: ({ action }) => <span title={action}>{actionName(action)}</span>,
      },
      {
        id: 'subject',
        title: t('audit.subject'),
        cell: (row) => (
          <>
            {row.customer_id !== null && (
              <span className={styles.who}>
                <CustomerLink id={row.customer_id} name={row.customer_name} />
              </span>
            )}
            {row.subject_kind !== 'customer' && (
              <span>{`${subjectName(row.subject_kind)} ${row.subject_id}`}</span>
            )}
          </>
        ),
      },
      { id: 'reason', title: t('audit.reason'), cell: ({ reason }) => reason },
      {
        id: 'change',
        title: t('audit.change'),
        cell: (row) => (
          <ul className={styles.changes}>
            {changesIn(row.before, row.after).map(({ field, before, after }) => (
              <li key={field}>
                <span className={styles.field}>{field}</span>{' '}
                <span>{`${before === null ? '' : `${before} → `}${after}`}</span>
              </li>
            ))}
          </ul>
        ),
      },
      { id: 'undo', title: t('deskActions:undo.column'), cell: (row) => <UndoEntry row={row} /> },
      { id: 'ip', title: t('audit.ip'), optional: true, cell: ({ ip }) => ip },
      { id: 'request', title: t('audit.request'), optional: true, cell: (row) => row.request_id },
    ],
    [t, actionName, subjectName],
  )
}
