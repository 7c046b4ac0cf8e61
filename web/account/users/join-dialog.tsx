import { useState } from 'react'
import { type Pool } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { roleAllows } from '../../state/team/team.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DecimalField } from '../../ui/fields/decimal-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { knownPools, useShownPools } from '../profile.ts'
import { FormDialog } from '../form-dialog.tsx'
import { useRefusedField } from '../refused-field.ts'
import styles from './user-dialog.module.css'
import { parseGb, type ProxyUser } from './user-form.ts'

interface Joining {
  number: number
  to: Pool
  reserved: boolean
  total_bytes: number | null
}

interface JoinDialogProps {
  user: ProxyUser
  /** The pool of the list. */
  pool: Pool
  customer: Session
  pending: boolean
  /** Why the last attempt failed. */
  failure: unknown
  onSend: (input: Joining) => void
  onClose: () => void
}

/** The fields at which refusals are shown. */
const fieldByRefusal = { reserve_not_covered: 'amount', invalid_user_limit: 'amount' } as const

/** Lets a proxy user use another pool with its login, within a limit of its own there. */
export function JoinDialog(props: JoinDialogProps) {
  const { user, pool, customer, onClose } = props
  const { t } = useTranslation(['proxyUsers', 'header'])
  const others = useShownPools(customer).filter((each) => each !== pool)
  const choosable = knownPools(customer).filter((each) => each !== pool)
  const title = t('joinOf', { label: user.label })
  const [first] = choosable
  if (first !== undefined) return <JoinForm {...props} title={title} choosable={choosable} first={first} />
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={title}
      closeLabel={t('close')}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          {roleAllows(customer, 'create_invoice_web') && (
            <Button variant="primary" href={`/purchase?pool=${others[0] ?? pool}`}>
              {t('buy')}
            </Button>
          )}
        </>
      }
    >
      <p>{t('joinNoPool')}</p>
    </Dialog>
  )
}

interface JoinFormProps extends JoinDialogProps {
  title: string
  choosable: readonly Pool[]
  first: Pool
}

function JoinForm({ user, pending, failure, title, choosable, first, onSend, onClose }: JoinFormProps) {
  const { t } = useTranslation(['proxyUsers', 'header'])
  const [to, setTo] = useState(first)
  const [isReserved, setReserved] = useState(false)
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const { refused, onEdit } = useRefusedField(failure, fieldByRefusal)
  const send = () => {
    const bytes = parseGb(text)
    const isRight = isReserved ? bytes !== null && bytes > 0 : !Number.isNaN(bytes)
    setWrong(!isRight)
    if (isRight) onSend({ number: user.number, to, reserved: isReserved, total_bytes: bytes })
  }
  return (
    <FormDialog
      title={title}
      description={t('joinText')}
      labels={{ close: t('close'), cancel: t('cancel'), send: t('join') }}
      className={styles.form}
      pending={pending}
      onSend={send}
      onClose={onClose}
    >
      <SelectField
        label={t('joinTo')}
        value={to}
        options={choosable.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
        onChange={setTo}
      />
      <Segmented
        label={t('mode')}
        value={isReserved ? 'reserved' : 'shared'}
        options={(['shared', 'reserved'] as const).map((value) => ({ value, label: t(`modeOf.${value}`) }))}
        onChange={(mode) => setReserved(mode === 'reserved')}
        wide
      />
      <p className={styles.hint}>{t(isReserved ? 'reservedHint' : 'sharedHint')}</p>
      <DecimalField
        label={t(isReserved ? 'reserve' : 'joinTotal')}
        value={text}
        onType={(typed) => {
          setText(typed)
          onEdit()
        }}
        error={isWrong ? t('wrong.total') : refused?.text}
        end={<span className={styles.unit}>{t('gb')}</span>}
      />
    </FormDialog>
  )
}
