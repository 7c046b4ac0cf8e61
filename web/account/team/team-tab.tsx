import { useTranslation } from '../../state/i18n.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { type Session } from '../../state/session.ts'
import { roleAllows } from '../../state/team/team.ts'
import { Acts } from './acts.tsx'
import { Invite, OpenInvitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { Memberships } from './memberships.tsx'
import styles from './team.module.css'

/** The team of the account, for its owner and administrators, and the teams of which the person is a member. */
export function TeamTab({ user }: { user: Session }) {
  const isManager = roleAllows(user, 'get_team')
  return (
    <div className={styles.tab}>
      {isManager && <Managed />}
      {user.acting === undefined && <Memberships />}
    </div>
  )
}

function Managed() {
  const { t } = useTranslation('team')
  const team = useOptionalRead(query('get_team', {}))
  return (
    <>
      <Members />
      {team !== undefined && (
        <>
          <Invite team={team} />
          {team.invitations.length > 0 && <OpenInvitations team={team} />}
          {team.acts.length > 0 && <Acts title={t('acts.title')} acts={team.acts} />}
        </>
      )}
    </>
  )
}
