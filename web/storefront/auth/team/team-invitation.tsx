import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { CallError } from '#contract/client'
import { call } from '../../../state/api.ts'
import { keepDestination } from '../../../state/destination.ts'
import { useTranslation } from '../../../state/i18n.ts'
import { query } from '../../../state/reads/queries.ts'
import { useSession } from '../../../state/session.ts'
import { actOn } from '../../../state/team/team.ts'
import { toast } from '../../../state/toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { CardPage } from '../../card-page.tsx'
import styles from '../form.module.css'

/** The target of the link in an invitation: says whose team it is, and accepts for the signed-in account. */
export function TeamInvitationPage() {
  const { t } = useTranslation('team')
  const [search] = useSearchParams()
  const token = search.get('invitation_token')?.trim() ?? ''
  const offer = useQuery({ ...query('invitation', { invitation_token: token }), enabled: token !== '' })
  const failure =
    token === ''
      ? t('accept.missing')
      : offer.error === null
        ? null
        : offer.error instanceof CallError
          ? offer.error.message
          : t('accept.failed')
  return (
    <CardPage title={t('accept.title')} heading={t('accept.heading')} back="/">
      <div className={styles.form}>
        {failure !== null && (
          <p className={styles.failure} role="alert">
            {failure}
          </p>
        )}
        {failure === null && offer.data === undefined && <Spinner label={t('accept.title')} />}
        {offer.data !== undefined && (
          <>
            <p>{t('accept.text', { team: offer.data.team })}</p>
            <p>
              <strong>{t('accept.role', { role: t(`role.${offer.data.role}`) })}</strong>{' '}
              <span>{t(`roleText.${offer.data.role}`)}</span>
            </p>
            <p>{t('accept.email', { email: offer.data.email })}</p>
            <Answer token={token} />
          </>
        )}
      </div>
    </CardPage>
  )
}

function Answer({ token }: { token: string }) {
  const { t } = useTranslation('team')
  const user = useSession()
  const location = useLocation()
  const navigate = useNavigate()
  const [failure, setFailure] = useState<string | null>(null)
  const [isPending, setPending] = useState(false)
  const accept = async () => {
    setPending(true)
    try {
      const { account } = await call('accept_invitation', { invitation_token: token })
      toast.success(t('accept.accepted'))
      await actOn(account)
    } catch (error) {
      setFailure(error instanceof CallError ? error.message : t('accept.failed'))
      setPending(false)
    }
  }
  if (user !== null)
    return (
      <>
        {failure !== null && (
          <p className={styles.failure} role="alert">
            {failure}
          </p>
        )}
        <Button variant="primary" wide pending={isPending} onClick={() => void accept()}>
          {t('accept.submit')}
        </Button>
      </>
    )
  const go = (to: '/login' | '/register') => {
    keepDestination(location)
    void navigate(to)
  }
  return (
    <>
      <p>{t('accept.first')}</p>
      <Button variant="primary" wide onClick={() => go('/login')}>
        {t('accept.signIn')}
      </Button>
      <Button wide onClick={() => go('/register')}>
        {t('accept.signUp')}
      </Button>
    </>
  )
}
