import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './prices.module.css'
import { emptyList, type ListDraft, listDraftOf, type ListTerms, type PriceList } from './list-draft.ts'
import { ListEditor } from './list-editor.tsx'
import { ListHistory } from './list-history.tsx'
import { useTermsText } from './terms-text.ts'

/** The list to edit (null: a new one), and the terms to start from: its own, or those it had before. */
type Editing = { list: PriceList | null; start: ListDraft; isChanged?: boolean }

/** Price lists: prices agreed with some customers. */
export function PriceLists() {
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const lists = useQuery(query('price_lists', {}))
  const [editing, setEditing] = useState<Editing | null>(null)
  const [removing, setRemoving] = useState<PriceList | null>(null)
  if (editing !== null) return <ListEditor {...editing} onClose={() => setEditing(null)} />
  const restore = (listId: string, name: string, terms: ListTerms) => {
    const list = lists.data?.find(({ id }) => id === listId)
    if (list !== undefined) setEditing({ list, start: listDraftOf({ name, ...terms }), isChanged: true })
  }
  return (
    <div className={styles.editor}>
      <Section
        title={t('priceLists.title')}
        actions={
          may('create_price_list') && (
            <Button size="small" onClick={() => setEditing({ list: null, start: emptyList })}>
              {t('priceLists.add')}
            </Button>
          )
        }
      >
        <p className={styles.quiet}>{t('priceLists.lead')}</p>
        <Loaded query={lists}>
          {(rows) =>
            rows.length === 0 ? (
              <p>{t('priceLists.empty')}</p>
            ) : (
              <ul className={styles.lists}>
                {rows.map((list) => (
                  <ListRow
                    key={list.id}
                    list={list}
                    onChange={() => setEditing({ list, start: listDraftOf(list) })}
                    onRemove={() => setRemoving(list)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      {may('price_list_changes') && <ListHistory onRestore={may('change_price_list') ? restore : null} />}
      {removing !== null && <RemoveDialog list={removing} onClose={() => setRemoving(null)} />}
    </div>
  )
}

interface ListRowProps {
  list: PriceList
  onChange: () => void
  onRemove: () => void
}

function ListRow({ list, onChange, onRemove }: ListRowProps) {
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const { number } = useFigures()
  const { prices, tiers } = useTermsText()(list)
  return (
    <li className={styles.list}>
      <div className={styles.listText}>
        <h3 className={styles.listName} translate="no">
          {list.name}
        </h3>
        <p>{prices}</p>
        <p>{tiers}</p>
        {list.below_cost && <p className={styles.loss}>{t('priceLists.belowCost')}</p>}
        <Link to={`/customers?price_list=${list.id}`}>
          {t('priceLists.customers', { count: list.customers, number: number(list.customers) })}
        </Link>
      </div>
      <div className={styles.acts}>
        {may('change_price_list') && (
          <Button size="small" onClick={onChange}>
            {t('priceLists.change')}
          </Button>
        )}
        {may('remove_price_list') && list.customers === 0 && (
          <Button size="small" variant="danger" onClick={onRemove}>
            {t('priceLists.remove')}
          </Button>
        )}
      </div>
    </li>
  )
}

function RemoveDialog({ list, onClose }: { list: PriceList; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const { pending, fault, run } = useAct('remove_price_list', onClose)
  return (
    <ActDialog
      title={t('priceLists.removeTitle', { name: list.name })}
      description={t('priceLists.removeText')}
      submit={t('priceLists.remove')}
      isDanger
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: list.id, version: list.version, reason })}
    />
  )
}
