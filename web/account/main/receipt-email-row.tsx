import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CallError } from '#contract/client'
import { isEmail } from '#contract/account-rules'
import { call, isSignedOut } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ReadFailed } from '../read-failed.tsx'
import styles from './profile-card.module.css'

/** The address for fiscal receipts, and a form to change it. Absent where the shop registers none. */
export function ReceiptEmailRow({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const isView = useView() !== null
  const { data, isError, isFetching, refetch } = useQuery(query('receipt_email', {}))
  const [isOpen, setOpen] = useState(false)
  if (data === undefined && isError)
    return (
      <div className={styles.fact}>
        <dt>{t('receiptEmail')}</dt>
        <dd>
          <ReadFailed named what={t('receiptEmail')} pending={isFetching} onRetry={() => void refetch()} />
        </dd>
      </div>
    )
  if (data === undefined || (data.needed_for.length === 0 && !data.is_own)) return null
  return (
    <div className={classNames(styles.fact, isOpen && styles.open)}>
      <dt>{t('receiptEmail')}</dt>
      <dd>
        {isOpen ? (
          <ReceiptEmailForm
            current={data.email ?? ''}
            mayClear={data.is_own && user.email !== null}
            onDone={() => setOpen(false)}
          />
        ) : (
          <>
            <span>{data.email ?? t('noEmail')}</span>{' '}
            {!isView && (
              <button type="button" className={styles.change} onClick={() => setOpen(true)}>
                {t('receiptEmailChange')}
              </button>
            )}
          </>
        )}
      </dd>
    </div>
  )
}

function ReceiptEmailForm(props: { current: string; mayClear: boolean; onDone: () => void }) {
  const { t } = useTranslation('userBtns')
  const [text, setText] = useState(props.current)
  const [error, setError] = useState<string>()
  const { mutate, isPending } = useMutation({
    mutationFn: (email: string | null) => call('set_receipt_email', { email }),
    onSuccess(answer) {
      queryClient.setQueryData(query('receipt_email', {}).queryKey, answer)
      toast.success(t('receiptEmailSaved'))
      props.onDone()
    },
    onError(fault) {
      if (!isSignedOut(fault)) setError(fault instanceof CallError ? fault.message : t('receiptEmailInvalid'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const email = text.trim()
    // Blank: as the e-mail of the account, where there is one of its own.
    if (email === '' && props.mayClear) mutate(null)
    else if (isEmail(email)) mutate(email)
    else setError(t('receiptEmailInvalid'))
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        type="email"
        label={t('receiptEmail')}
        labelHidden
        hint={props.mayClear ? t('receiptEmailClear') : undefined}
        error={error}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="email"
        maxLength={254}
      />
      <div className={styles.buttons}>
        <Button type="submit" size="small" variant="primary" pending={isPending}>
          {t('receiptEmailSave')}
        </Button>
        <Button size="small" onClick={props.onDone}>
          {t('receiptEmailCancel')}
        </Button>
      </div>
    </form>
  )
}
