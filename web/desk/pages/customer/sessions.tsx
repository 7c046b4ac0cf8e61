import { useState } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { EndSessionsDialog } from './block-dialogs.tsx'
import styles from './customer.module.css'
import type { Customer } from './types.ts'

/** The customer's sessions: created, last used, expiring. */
export function Sessions({ customer }: { customer: Customer }) {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const mayEnd = useMay()('end_customer_sessions')
  const { time } = useFigures()
  const [isEnding, setEnding] = useState(false)
  const { sessions } = customer
  return (
    <Section
      title={t('deskPages:customer.sessions')}
      actions={
        mayEnd &&
        sessions.length > 0 && (
          <Button size="small" onClick={() => setEnding(true)}>
            {t('deskPages:act.endSessions')}
          </Button>
        )
      }
    >
      {sessions.length === 0 ? (
        <p className={styles.quiet}>{t('sessions.none')}</p>
      ) : (
        <ul className={styles.sessions}>
          {sessions.map((session) => (
            <li key={session.id}>
              {t('sessions.one', {
                since: time(session.created_at),
                used: time(session.used_at),
                until: time(session.expires_at),
              })}
            </li>
          ))}
        </ul>
      )}
      {isEnding && <EndSessionsDialog customer={customer} onClose={() => setEnding(false)} />}
    </Section>
  )
}

type Member = Customer['members'][number]

const nameOf = ({ id, name }: { id: string; name: string | null }) => name ?? `#${id}`

/** Who may act on the customer's account, and on whose accounts the customer may act. */
export function Team({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskCustomer')
  const mayRemove = useMay()('remove_team_member')
  const { time } = useFigures()
  const [removed, setRemoved] = useState<Member | null>(null)
  const { members, teams } = customer
  return (
    <Section title={t('team.title')}>
      {members.length + teams.length === 0 ? (
        <p className={styles.quiet}>{t('team.none')}</p>
      ) : (
        <ul className={styles.sessions}>
          {members.map((member) => (
            <li key={`member ${member.id}`}>
              <Link to={`/customers/${member.id}`}>
                {t('team.member', {
                  name: member.email ?? nameOf(member),
                  role: t(`team.role.${member.role}`),
                  date: time(member.joined_at),
                })}
              </Link>{' '}
              {mayRemove && (
                <Button
                  size="small"
                  aria-label={t('team.removeOf', { name: nameOf(member) })}
                  onClick={() => setRemoved(member)}
                >
                  {t('team.remove')}
                </Button>
              )}
            </li>
          ))}
          {teams.map((team) => (
            <li key={`team ${team.id}`}>
              <Link to={`/customers/${team.id}`}>
                {t('team.in', {
                  name: nameOf(team),
                  role: t(`team.role.${team.role}`),
                  date: time(team.joined_at),
                })}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {removed !== null && (
        <RemoveMemberDialog customer={customer} member={removed} onClose={() => setRemoved(null)} />
      )}
    </Section>
  )
}

interface DialogProps {
  customer: Customer
  member: Member
  onClose: () => void
}

function RemoveMemberDialog({ customer, member, onClose }: DialogProps) {
  const { t } = useTranslation('deskCustomer')
  const { pending, fault, run } = useAct('remove_team_member', onClose)
  return (
    <ActDialog
      title={t('team.removeTitle', { name: nameOf(member) })}
      description={t('team.removeText')}
      submit={t('team.remove')}
      isDanger
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) =>
        run({ id: customer.id, member_id: member.id, ...(reason === '' ? {} : { reason }) })
      }
    />
  )
}
