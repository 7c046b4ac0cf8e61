import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '#contract/contract'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { actOn } from '../../state/team/team.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import protection from '../security/protection.module.css'
import { Row, Waiting } from '../security/two-factor.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './team.module.css'

type Membership = Output<'my_teams'>['teams'][number]

/** The teams of which the person is a member: where they may work, and how they leave. */
export function Memberships() {
  const { t } = useTranslation('team')
  const mine = useQuery(query('my_teams', {}))
  return (
    <section aria-labelledby="my-teams">
      <h2 id="my-teams" className={protection.heading}>
        {t('mine.title')}
      </h2>
      <p className={protection.lead}>{t('mine.text')}</p>
      <Card>
        {mine.data === undefined ? (
          <Waiting isError={mine.isError} onRetry={() => void mine.refetch()} />
        ) : (
          <ul className={protection.rows}>
            {mine.data.teams.map((each) => (
              <MembershipRow key={each.account} team={each} />
            ))}
            {mine.data.teams.length === 0 && <li className={protection.row}>{t('mine.none')}</li>}
          </ul>
        )}
      </Card>
    </section>
  )
}

function MembershipRow({ team }: { team: Membership }) {
  const { t } = useTranslation('team')
  const isView = useView() !== null
  const [isLeaving, setLeaving] = useState(false)
  const { account, role, open: isOpen } = team
  const name = team.name ?? `#${account}`
  const work = useMutation({
    mutationFn: () => actOn(account),
    onError: (error) => toastFailure(error, t('failed')),
  })
  const leave = useMutation({
    mutationFn: () => call('leave_team', { account }),
    onSuccess: () => {
      setLeaving(false)
      void queryClient.invalidateQueries({ queryKey: ['my_teams'] })
      toast.success(t('mine.left'))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
  return (
    <Row
      name={name}
      badge={t(`role.${role}`)}
      about={t(`roleText.${role}`)}
      warning={isOpen ? null : t('mine.closed')}
    >
      {!isView && (
        <div className={styles.acts}>
          {isOpen && (
            <Button
              size="small"
              aria-label={t('mine.actIn', { name })}
              pending={work.isPending}
              onClick={() => work.mutate()}
            >
              {t('mine.act')}
            </Button>
          )}
          <Button size="small" aria-label={t('mine.leaveOf', { name })} onClick={() => setLeaving(true)}>
            {t('mine.leave')}
          </Button>
        </div>
      )}
      {isLeaving && (
        <ConfirmDialog
          title={t('mine.leaveTitle', { name })}
          consequences={[t('mine.leaveText')]}
          confirmLabel={t('mine.leave')}
          pending={leave.isPending}
          onConfirm={() => leave.mutate()}
          onClose={() => setLeaving(false)}
        />
      )}
    </Row>
  )
}
