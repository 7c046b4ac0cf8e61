import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import { PriceListField } from '../../subjects/price-list-field.tsx'
import type { Customer } from './types.ts'

/** Gives the customer a price list, or the shop's prices. */
export function PriceListDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const before = customer.price_list?.id ?? ''
  const [listId, setListId] = useState(before)
  const { pending, fault, run } = useAct('assign_price_list', onClose)
  return (
    <ActDialog
      title={t('priceLists.assignTitle', { name: customerName(customer) })}
      description={t('priceLists.assignText')}
      submit={t('priceLists.assign')}
      pending={pending}
      fault={fault}
      ready={listId !== before}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, list_id: listId === '' ? null : listId, reason })}
    >
      <PriceListField value={listId} onChange={setListId} />
    </ActDialog>
  )
}
