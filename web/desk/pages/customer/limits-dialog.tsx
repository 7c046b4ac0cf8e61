import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { TextArea } from '../../../ui/fields/text-area.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import styles from './customer.module.css'
import { capWindows, draftOf, type LimitsDraft, readLimits } from './limits-draft.ts'
import type { Customer } from './types.ts'

type Limits = DeskOutput<'customer_limits'>[number]
interface LimitsDialogProps {
  customer: Customer
  limits: Limits
  onClose: () => void
}

/** Changes the limits of a pool, which the customer can also see and change. */
export function LimitsDialog({ customer, limits, onClose }: LimitsDialogProps) {
  const { t } = useTranslation(['deskCustomer', 'header'])
  const [draft, setDraft] = useState(() => draftOf(limits))
  const change = (part: Partial<LimitsDraft>) => setDraft({ ...draft, ...part })
  const { pending, fault, run } = useAct('set_customer_limits', onClose)
  const read = readLimits(draft)
  return (
    <ActDialog
      title={t('limits.title', { pool: t(`header:pools.${limits.pool}`), name: customerName(customer) })}
      description={t('limits.text')}
      submit={t('limits.save')}
      pending={pending}
      fault={fault}
      ready={read !== null}
      onClose={onClose}
      onSubmit={(reason) => read !== null && run({ id: customer.id, pool: limits.pool, ...read, reason })}
    >
      <div className={styles.caps}>
        {capWindows.map((window, index) => (
          <DecimalField
            key={window}
            label={t(`limits.${window}Gb`)}
            value={draft.caps[index] ?? ''}
            onType={(text) => change({ caps: draft.caps.with(index, text) })}
          />
        ))}
        <TextField
          label={t('limits.connections')}
          value={draft.connections}
          onChange={(event) => change({ connections: event.target.value })}
          inputMode="numeric"
          autoComplete="off"
          mono
        />
      </div>
      <TextArea
        label={t('limits.allowed')}
        hint={t('limits.hostsHint')}
        rows={2}
        value={draft.allowed}
        onChange={(event) => change({ allowed: event.target.value })}
      />
      <TextArea
        label={t('limits.denied')}
        rows={2}
        value={draft.denied}
        onChange={(event) => change({ denied: event.target.value })}
      />
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={draft.saver}
          onChange={(event) => change({ saver: event.target.checked })}
        />
        <span>{t('limits.saver')}</span>
      </label>
    </ActDialog>
  )
}

interface PaceDialogProps {
  customer: Customer
  times: number
  onClose: () => void
}

/** Sets the agreed multiple of the usual rate limit for the customer's programs. */
export function PaceDialog({ customer, times, onClose }: PaceDialogProps) {
  const { t } = useTranslation('deskCustomer')
  const [text, setText] = useState(String(times))
  const { pending, fault, run } = useAct('set_api_pace', onClose)
  const read = /^([1-9]\d?|100)$/.test(text.trim()) ? Number(text) : null
  return (
    <ActDialog
      title={t('api.dialog', { name: customerName(customer) })}
      description={t('api.text')}
      submit={t('api.save')}
      pending={pending}
      fault={fault}
      ready={read !== null}
      onClose={onClose}
      onSubmit={(reason) => read !== null && run({ id: customer.id, times: read, reason })}
    >
      <TextField
        label={t('api.times')}
        hint={t('api.hint')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        inputMode="numeric"
        autoComplete="off"
        mono
      />
    </ActDialog>
  )
}
