import { NoticesCard } from '../main/notices-card.tsx'
import { ProfileTab } from '../main/profile-tab.tsx'
import { ResellerTab } from '../reseller/reseller-tab.tsx'
import { TeamTab } from '../team/team-tab.tsx'
import { SecurityTab } from '../security/security-tab.tsx'
import type { TabsOf } from './tab-content.ts'

export const contents: TabsOf<'settings'> = {
  profile: ProfileTab,
  changePass: SecurityTab,
  notices: NoticesCard,
  team: TeamTab,
  resell: ResellerTab,
}
