import { PriceListField } from '../../subjects/price-list-field.tsx'
import { useState } from 'react'
import { accessParts } from '#contract/desk/choices'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import styles from './customer.module.css'
import type { Customer } from './types.ts'

interface DialogProps {
  customer: Customer
  onClose: () => void
}

type Part = (typeof accessParts)[number]

/**
 * The secrets that may have leaked. A second factor is not one of them: it is reset for an owner who has lost
 * it.
 */
const leaked = accessParts.filter((part) => part !== 'second_factor')

/** Replaces secrets that may have leaked. Only the customer sees the new ones. */
export function ResetAccessDialog({ customer, onClose }: DialogProps) {
  const { t } = useTranslation(['deskCustomer', 'desk'])
  const [parts, setParts] = useState<readonly Part[]>(leaked)
  const { pending, fault, result, run } = useAct('reset_access')
  if (result !== undefined)
    return (
      <Dialog
        open
        compact
        onClose={onClose}
        title={t('reset.done')}
        closeLabel={t('desk:close')}
        footer={<Button onClick={onClose}>{t('desk:close')}</Button>}
      >
        <ul className={styles.outcome} role="status">
          {result.pools.length > 0 && <li>{t('reset.donePasswords', { count: result.pools.length })}</li>}
          {parts.includes('sign_in') && <li>{t('reset.doneSessions', { count: result.sessions })}</li>}
          {result.letter && <li>{t('reset.doneLetter')}</li>}
          {parts.includes('second_factor') && (
            <li>{t(result.factors.length > 0 ? 'reset.doneFactors' : 'reset.doneNoFactors')}</li>
          )}
          {parts.includes('api_token') && <li>{t('reset.doneToken')}</li>}
        </ul>
      </Dialog>
    )
  const toggle = (part: Part, isOn: boolean) =>
    setParts(accessParts.filter((each) => (each === part ? isOn : parts.includes(each))))
  return (
    <ActDialog
      title={t('reset.title', { name: customerName(customer) })}
      description={t('reset.text')}
      submit={t('reset.act')}
      isDanger
      pending={pending}
      fault={fault}
      ready={parts.length > 0}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, parts: [...parts], reason })}
    >
      <fieldset className={styles.checks}>
        <legend className="sr-only">{t('reset.what')}</legend>
        {accessParts.map((part) => (
          <label key={part} className={styles.check}>
            <input
              type="checkbox"
              checked={parts.includes(part)}
              onChange={(event) => toggle(part, event.target.checked)}
            />
            <span>
              <span>{t(`reset.part.${part}`)}</span>
              <span className={styles.hint}>{t(`reset.about.${part}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </ActDialog>
  )
}

export function ResendDialog({ customer, onClose }: DialogProps) {
  const { t } = useTranslation('deskCustomer')
  const { pending, fault, run } = useAct('resend_confirmation', onClose)
  return (
    <ActDialog
      title={t('resend.title')}
      description={t('resend.text', { email: customer.email ?? '' })}
      submit={t('resend.submit')}
      reason="none"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={() => run({ id: customer.id })}
    />
  )
}

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
