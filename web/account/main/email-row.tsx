import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { useView } from '../../state/view.ts'
import styles from './profile-card.module.css'
import { useResend } from './use-resend.ts'

/** The address of the account, and whether it is confirmed: the letter can be sent again. */
export function EmailRow({ user: { email, confirmed } }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const isView = useView() !== null
  const { mutate, isPending, isSuccess } = useResend()
  return (
    <div className={styles.fact}>
      <dt>{t('email')}</dt>
      <dd>
        <span>{email ?? t('noEmail')}</span>
        {email !== null && !confirmed && (
          <span className={styles.unconfirmed}>
            <span>{t('unconfirmedEmail')}</span>{' '}
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
