import { useState } from 'react'
import { longestLabel } from '#contract/proxy-users/rules'
import type { Pool } from '#contract/wire'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { TextArea } from '../../ui/fields/text-area.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { FormDialog } from '../form-dialog.tsx'
import { useRefusedField } from '../refused-field.ts'
import { CountriesField } from './countries-field.tsx'
import styles from './user-dialog.module.css'
import {
  emptyForm,
  type ProxyUser,
  toForm,
  toInput,
  type UserField,
  type UserForm,
  type UserInput,
} from './user-form.ts'

/** The fields at which refusals are shown. */
const fieldByRefusal = {
  user_label_taken: 'label',
  invalid_label: 'label',
  invalid_host_pattern: 'hosts',
  too_many_hosts: 'hosts',
  invalid_client_address: 'addresses',
  invalid_addresses: 'addresses',
  invalid_expires_at: 'expires',
  reserve_not_covered: 'total',
  invalid_user_login: 'login',
  user_login_taken: 'login',
  invalid_metadata: 'metadata',
} as const

interface UserDialogProps {
  /** Null: a new one is made. */
  user: ProxyUser | null
  pool: Pool
  /** The zone whose days and months limits count. */
  timeZone: string
  pending: boolean
  /** Why the last attempt failed. */
  failure: unknown
  onSave: (input: UserInput) => void
  onClose: () => void
}

/** The form of a proxy user: its name, limits, and allowed places. */
export function UserDialog({ user, pool, timeZone, pending, failure, onSave, onClose }: UserDialogProps) {
  const { t } = useTranslation('proxyUsers')
  const language = useLanguage()
  const [form, setForm] = useState(() => (user === null ? emptyForm : toForm(user, language)))
  const [wrong, setWrong] = useState<UserField | null>(null)
  const { refused, onEdit } = useRefusedField(failure, fieldByRefusal)
  const send = () => {
    const input = toInput(form, user === null, user?.login)
    setWrong(typeof input === 'string' ? input : null)
    if (typeof input !== 'string') onSave(input)
  }
  const field = (name: Exclude<keyof UserForm, 'countries' | 'isExcept' | 'isPlain' | 'reserved'>) => ({
    value: form[name],
    autoComplete: 'off',
    error: wrong === name ? t(`wrong.${wrong}`) : refused?.field === name ? refused.text : undefined,
    onChange: (event: { target: { value: string } }) => {
      setForm({ ...form, [name]: event.target.value })
      onEdit()
    },
  })
  const gb = {
    inputMode: 'decimal',
    mono: true,
    end: <span className={styles.unit}>{t('gb')}</span>,
  } as const
  return (
    <FormDialog
      wide
      title={user === null ? t('create') : t('editOf', { label: user.label })}
      labels={{ close: t('close'), cancel: t('cancel'), send: t(user === null ? 'make' : 'save') }}
      className={styles.form}
      pending={pending}
      onSend={send}
      onClose={onClose}
    >
      <TextField {...field('label')} label={t('label')} hint={t('labelHint')} maxLength={longestLabel} />
      <TextField {...field('login')} label={t('login')} hint={t('loginHint')} mono spellCheck={false} />
      <fieldset className={styles.group}>
        <legend className={styles.legend}>{t('limits')}</legend>
        {user === null && (
          <>
            <Segmented
              label={t('mode')}
              value={form.reserved ? 'reserved' : 'shared'}
              options={(['shared', 'reserved'] as const).map((value) => ({
                value,
                label: t(`modeOf.${value}`),
              }))}
              onChange={(mode) => setForm({ ...form, reserved: mode === 'reserved' })}
              wide
            />
            <p className={styles.hint}>{t(form.reserved ? 'reservedHint' : 'sharedHint')}</p>
          </>
        )}
        <div className={styles.three}>
          {(user === null || !form.reserved) && (
            <TextField {...field('total')} {...gb} label={t(form.reserved ? 'reserve' : 'total')} />
          )}
          <TextField {...field('day')} {...gb} label={t('day')} />
          <TextField {...field('month')} {...gb} label={t('month')} />
        </div>
        <p className={styles.hint}>{t('limitsHint', { zone: timeZone })}</p>
      </fieldset>
      <div className={styles.two}>
        <TextField {...field('expires')} label={t('expires')} type="datetime-local" hint={t('expiresHint')} />
        <TextField
          {...field('connections')}
          label={t('connections')}
          inputMode="numeric"
          mono
          hint={t('connectionsHint')}
        />
      </div>
      <TextField {...field('hosts')} label={t('hosts')} hint={t('hostsHint')} />
      <TextField {...field('addresses')} label={t('addresses')} hint={t('addressesHint')} />
      <TextArea {...field('metadata')} label={t('metadata')} hint={t('metadataHint')} spellCheck={false} />
      <CountriesField
        pool={pool}
        value={form.countries}
        isExcept={form.isExcept}
        onMode={(isExcept) => setForm({ ...form, isExcept })}
        onChange={(countries) => setForm({ ...form, countries })}
      />
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={form.isPlain}
          onChange={(event) => setForm({ ...form, isPlain: event.target.checked })}
        />
        <span>
          <span>{t('noDouble')}</span>
          <span className={styles.hint}>{t('noDoubleHint')}</span>
        </span>
      </label>
    </FormDialog>
  )
}
