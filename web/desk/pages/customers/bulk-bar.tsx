import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { bulkActs } from '#contract/desk/choices'
import type { DeskInput } from '#contract/desk/contract'
import type { DeskName } from '#contract/desk/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { call } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { BulkAct } from './bulk-draft.ts'
import styles from './customers.module.css'

const calls = {
  block: 'block_customer',
  tag: 'add_tag',
  credit: 'give_traffic',
  letter: 'send_letter',
  price_list: 'assign_price_list',
} as const satisfies Record<BulkAct, DeskName>

type Filters = Omit<DeskInput<'customers'>, 'after' | 'limit'>

/** The maximum number of customers that can be selected. */
const mostChosen = 2000

/** The ids of all customers that the filters match, page by page. */
async function idsOf(filters: Filters): Promise<string[]> {
  const ids: string[] = []
  let after: string | null = null
  do {
    const page: { rows: { id: string }[]; next: string | null } = await call('customers', {
      ...filters,
      limit: 200,
      ...(after === null ? {} : { after }),
    })
    ids.push(...page.rows.map(({ id }) => id))
    after = page.next
  } while (after !== null && ids.length < mostChosen)
  return ids.slice(0, mostChosen)
}

interface BulkBarProps {
  ids: readonly string[]
  filters: Filters
  onChoose: (ids: readonly string[]) => void
  onDone: () => void
}

/** The acts on all selected customers. */
export function BulkBar({ ids, filters, onChoose, onDone }: BulkBarProps) {
  const { t } = useTranslation(['deskPages', 'deskCustomer'])
  const may = useMay()
  const [act, setAct] = useState<BulkAct | null>(null)
  const all = useMutation({ mutationFn: () => idsOf(filters), onSuccess: onChoose })
  return (
    <div className={styles.bulk} role="region" aria-label={t('bulk.chosen', { count: ids.length })}>
      <span aria-live="polite">{t('bulk.chosen', { count: ids.length })}</span>
      <Button size="small" variant="ghost" pending={all.isPending} onClick={() => all.mutate()}>
        {t('deskCustomer:many.all')}
      </Button>
      {bulkActs
        .filter((each) => may(calls[each]))
        .map((each) => (
          <Button key={each} size="small" onClick={() => setAct(each)}>
            {t(`deskCustomer:many.act.${each}`)}
          </Button>
        ))}
      <Button size="small" variant="ghost" onClick={onDone}>
        {t('bulk.none')}
      </Button>
      {ids.length >= mostChosen && <span>{t('deskCustomer:many.most', { count: mostChosen })}</span>}
      {all.error !== null && <Fault text={all.error.message} />}
      {act !== null && <BulkDialog act={act} ids={ids} onClose={() => setAct(null)} />}
    </div>
  )
}
