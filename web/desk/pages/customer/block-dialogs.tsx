import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import type { Customer } from './types.ts'
import styles from './customer.module.css'

interface DialogProps {
  customer: Customer
  onClose: () => void
}

export function BlockDialog({ customer, onClose }: DialogProps) {
  const { t } = useTranslation('deskPages')
  const [until, setUntil] = useState('')
  const [tell, setTell] = useState(true)
  const { pending, fault, run } = useAct('block_customer', onClose)
  const end = until === '' ? {} : { until: new Date(until).toISOString() }
  return (
    <ActDialog
      title={t('block.title', { name: customerName(customer) })}
      description={t('block.text')}
      submit={t('act.block')}
      isDanger
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, reason, tell, ...end })}
    >
      <TextField
        type="datetime-local"
        label={t('block.until')}
        hint={t('block.untilHint')}
        value={until}
        onChange={(event) => setUntil(event.target.value)}
      />
      <label className={styles.check}>
        <input type="checkbox" checked={tell} onChange={(event) => setTell(event.target.checked)} />
        <span>{t('block.tell')}</span>
      </label>
    </ActDialog>
  )
}

export function UnblockDialog({ customer, onClose }: DialogProps) {
  const { t } = useTranslation('deskPages')
  const { pending, fault, run } = useAct('unblock_customer', onClose)
  return (
    <ActDialog
      title={t('block.unblockTitle', { name: customerName(customer) })}
      submit={t('act.unblock')}
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, ...(reason === '' ? {} : { reason }) })}
    />
  )
}

export function EndSessionsDialog({ customer, onClose }: DialogProps) {
  const { t } = useTranslation('deskPages')
  const { pending, fault, run } = useAct('end_customer_sessions', onClose)
  return (
    <ActDialog
      title={t('block.endTitle', { name: customerName(customer) })}
      description={t('block.endText', { count: customer.sessions.length })}
      submit={t('act.endSessions')}
      isDanger
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, ...(reason === '' ? {} : { reason }) })}
    />
  )
}
