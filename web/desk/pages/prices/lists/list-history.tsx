import { useMemo } from 'react'
import { useTranslation } from '../../../../state/i18n.ts'
import { Button } from '../../../../ui/button.tsx'
import { Moment } from '../../../parts/moment.tsx'
import { Section } from '../../../parts/section.tsx'
import type { Column } from '../../../table/columns.ts'
import { List, type RowOf } from '../../../table/list.tsx'
import styles from '../prices.module.css'
import type { ListTerms } from './list-draft.ts'
import { useTermsText } from './terms-text.ts'

type Row = RowOf<'price_list_changes'>

interface ListHistoryProps {
  /** Opens the list with the terms that it had before a change; null: the member may not. */
  onRestore: ((listId: string, name: string, terms: ListTerms) => void) | null
}

/** Every change of a price list, with its author and reason. */
export function ListHistory({ onRestore }: ListHistoryProps) {
  const { t } = useTranslation('deskPages')
  const told = useTermsText()
  const columns = useMemo((): readonly Column<Row>[] => {
    const text = (terms: ListTerms | null, none: string) =>
      terms === null ? none : Object.values(told(terms)).join('; ')
    return [
      {
        id: 'at',
        title: t('column.at'),
        fixed: true,
        phone: true,
        cell: (row) => <Moment iso={row.at} recent />,
      },
      { id: 'name', title: t('column.name'), phone: true, cell: ({ name }) => name },
      {
        id: 'change',
        title: t('audit.change'),
        phone: true,
        cell: ({ before, after }) =>
          `${text(before, t('priceLists.made'))} → ${text(after, t('priceLists.removed'))}`,
      },
      { id: 'by', title: t('audit.actor'), cell: (row) => row.by },
      { id: 'reason', title: t('audit.reason'), cell: ({ reason }) => reason },
      {
        id: 'restore',
        title: t('priceLists.restore'),
        cell: ({ before, list_id: listId, name }) =>
          onRestore !== null &&
          before !== null &&
          listId !== null && (
            <Button size="small" variant="ghost" onClick={() => onRestore(listId, name, before)}>
              {t('priceLists.restore')}
            </Button>
          ),
      },
    ]
  }, [t, told, onRestore])
  return (
    <div className={styles.history}>
      <Section title={t('prices.history')}>
        <List
          call="price_list_changes"
          label={t('prices.history')}
          filters={noFilters}
          columns={columns}
          rowId={(row) => row.id}
          empty={<p>{t('priceLists.unchanged')}</p>}
        />
      </Section>
    </div>
  )
}

const noFilters = {}
