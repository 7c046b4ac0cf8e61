import Eye from 'lucide-react/icons/eye'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import styles from './customer.module.css'
import type { Customer } from './types.ts'

/**
 * Creates the link, then shows it. Browsers block a tab that opens by itself after an answer, and a tab
 * opened by this page could access it.
 */
export function SeeAsDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const { t } = useTranslation(['deskCustomer', 'desk'])
  const { pending, fault, result, run } = useAct('see_as_customer')
  const name = customerName(customer)
  if (result !== undefined)
    return (
      <Dialog
        open
        compact
        onClose={onClose}
        title={t('seeAs.ready')}
        description={t('seeAs.readyText')}
        closeLabel={t('desk:close')}
        footer={<Button onClick={onClose}>{t('desk:close')}</Button>}
      >
        <p role="status">
          <a className={styles.opens} href={result.url} target="_blank" rel="noreferrer" onClick={onClose}>
            <Eye size={18} aria-hidden="true" />
            <span>{t('seeAs.open', { name })}</span>
          </a>
        </p>
      </Dialog>
    )
  return (
    <ActDialog
      title={t('seeAs.title', { name })}
      description={t('seeAs.text')}
      submit={t('seeAs.act')}
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, reason })}
    />
  )
}
