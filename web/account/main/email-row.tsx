import { useMutation } from '@tanstack/react-query'
import { CallError } from '#contract/client'
import { call, isSignedOut } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import styles from './profile-card.module.css'

/** The address of the account, and whether it is confirmed: the letter can be sent again. */
export function EmailRow({ user: { email, confirmed } }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const isView = useView() !== null
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: () => call('resend_confirmation', {}),
    onSuccess: () => toast.success(t('confirmSent')),
    onError(fault) {
      if (!isSignedOut(fault)) toast.error(fault instanceof CallError ? fault.message : t('confirmFailed'))
    },
  })
  return (
    <div className={styles.fact}>
      <dt>{t('email')}</dt>
      <dd>
        {email ?? t('noEmail')}
        {email !== null && !confirmed && (
          <span className={styles.unconfirmed}>
            {t('unconfirmedEmail')}{' '}
            {!isView && !isSuccess && (
              <button type="button" className={styles.change} disabled={isPending} onClick={() => mutate()}>
                {t('confirmAgain')}
              </button>
            )}
          </span>
        )}
      </dd>
    </div>
  )
}
