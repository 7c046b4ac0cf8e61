import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { TextArea } from '../../../ui/fields/text-area.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { gbText, parseGb } from '../../parts/amounts.ts'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import styles from './customer.module.css'
import type { Customer } from './types.ts'

type Limits = DeskOutput<'customer_limits'>[number]
const windows = ['hour', 'day', 'month'] as const

const capText = (bytes: string | null) => (bytes === null ? '' : gbText(BigInt(bytes)))
/** Empty: no cap; null: no amount. */
const readCap = (text: string) => (text.trim() === '' ? '' : (parseGb(text)?.toString() ?? null))
const readHosts = (text: string) => text.split(/[\s,]+/).filter((host) => host !== '')

interface LimitsDialogProps {
  customer: Customer
  limits: Limits
  onClose: () => void
}

/** Changes the limits of a pool: the customer's own, which they see and can change too. */
export function LimitsDialog({ customer, limits, onClose }: LimitsDialogProps) {
  const { t } = useTranslation(['deskCustomer', 'header'])
  const [caps, setCaps] = useState(() => windows.map((window) => capText(limits[`${window}_bytes`])))
  const [connections, setConnections] = useState(String(limits.connections ?? ''))
  const [allowed, setAllowed] = useState(limits.allowed_hosts.join('\n'))
  const [denied, setDenied] = useState(limits.denied_hosts.join('\n'))
  const [isSaving, setSaving] = useState(limits.data_saver)
  const { pending, fault, run } = useAct('set_customer_limits', onClose)
  const read = caps.map(readCap)
  const most = /^[1-9]\d{0,5}$/.test(connections.trim()) ? Number(connections) : null
  const isReady = !read.includes(null) && (connections.trim() === '' || most !== null)
  const cap = (index: number) => read[index] || null
  return (
    <ActDialog
      title={t('limits.title', { pool: t(`header:pools.${limits.pool}`), name: customerName(customer) })}
      description={t('limits.text')}
      submit={t('limits.save')}
      pending={pending}
      fault={fault}
      ready={isReady}
      onClose={onClose}
      onSubmit={(reason) =>
        run({
          id: customer.id,
          pool: limits.pool,
          hour_bytes: cap(0),
          day_bytes: cap(1),
          month_bytes: cap(2),
          connections: most,
          allowed_hosts: readHosts(allowed),
          denied_hosts: readHosts(denied),
          data_saver: isSaving,
          reason,
        })
      }
    >
      <div className={styles.caps}>
        {windows.map((window, index) => (
          <DecimalField
            key={window}
            label={t(`limits.${window}Gb`)}
            value={caps[index] ?? ''}
            onType={(text) => setCaps(caps.with(index, text))}
          />
        ))}
        <TextField
          label={t('limits.connections')}
          value={connections}
          onChange={(event) => setConnections(event.target.value)}
          inputMode="numeric"
          autoComplete="off"
          mono
        />
      </div>
      <TextArea
        label={t('limits.allowed')}
        hint={t('limits.hostsHint')}
        rows={2}
        value={allowed}
        onChange={(event) => setAllowed(event.target.value)}
      />
      <TextArea
        label={t('limits.denied')}
        rows={2}
        value={denied}
        onChange={(event) => setDenied(event.target.value)}
      />
      <label className={styles.check}>
        <input type="checkbox" checked={isSaving} onChange={(event) => setSaving(event.target.checked)} />
        <span>{t('limits.saver')}</span>
      </label>
    </ActDialog>
  )
}
